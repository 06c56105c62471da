import base64
import hashlib
import json
import math
import re
from dataclasses import fields, replace
from html import unescape
from html.parser import HTMLParser

import pytest

from lopsided.report.ranking_drawings import draw_finds, draw_prior, draw_reliability
from lopsided.report.ranking_page import render_ranking, write_ranking_report
from lopsided.report.ranking_summary import (
    Counts,
    FindsCurve,
    PriorFact,
    RankedRow,
    RankingSummary,
    Reason,
    Reliability,
    ReliabilityBin,
)
from lopsided.report.visible_text import excerpt, make_visible

LIMIT = 3_000_000
NAN = float("nan")
ATTACKS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
)
SECTIONS = ["short", "rows", "finds", "prior", "calibration", "columns", "comparison"]
SECTIONS += ["assumptions", "made"]


class Page(HTMLParser):
    """The tags of a page with their attributes, and its words outside of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.words, self.quiet = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.quiet = tag in ("script", "style")

    def handle_endtag(self, tag):
        self.quiet = False

    def handle_data(self, data):
        if not self.quiet:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    @property
    def sections(self):
        return [attributes["id"] for tag, attributes in self.tags if tag == "section"]


def read_data(page):
    return json.loads(re.search(r'id="summary">(.*?)</script>', page, re.DOTALL)[1])


def count_rows(page):
    return page[page.index('id="ranking"') : page.index('id="finds"')].count('<th scope="row"')


def make_bare(**changes):
    """Return the least that makes a page."""
    counts, row = Counts(3, 1, 0, 2, 0), RankedRow(1, "a", 0.5)
    return replace(RankingSummary("T", "", "", "m", counts, "Look.", 1, (), (row,)), **changes)


@pytest.fixture(scope="module")
def page(make_summary):
    return render_ranking(make_summary())


def test_every_section_is_there_in_the_order_of_its_contents(page):
    parsed = Page(page)
    assert parsed.sections == SECTIONS
    links = [tag["href"] for _, tag in parsed.tags if tag.get("href", "").startswith("#")]
    assert links == ["#main", *(f"#{anchor}" for anchor in SECTIONS)]
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in parsed.tags:
        for name in ("aria-labelledby", "for"):
            assert set((attributes.get(name) or ids[0]).split()) <= set(ids)


def test_all_that_the_summary_says_is_on_the_page(page, make_summary):
    summary, text = make_summary(), Page(page).text.replace("\N{NO-BREAK SPACE}", " ")
    said = [summary.headline, summary.signal, summary.finds.sentence, summary.prior.sentence]
    said += [summary.calibration.sentence, *(notice.text for notice in summary.warnings)]
    said += [*summary.assumptions, *(one.sentence for one in summary.comparison)]
    said += [*summary.made.values(), *(one.direction for one in summary.features)]
    said += [f"The first 120 of 4,803 ranked rows; all of them are in {summary.rest}"]
    for sentence in said:
        assert sentence in text
    for row in summary.rows:
        assert row.id in text
        for reason in row.reasons:
            sign = f"{reason.contribution:+.1f}".replace("-", "\N{MINUS SIGN}")
            assert f"{reason.column} {reason.value or 'missing'} {sign}" in text


def test_the_same_summary_gives_the_same_bytes(page, make_summary, tmp_path):
    path = write_ranking_report(make_summary(), tmp_path / "ranking.html")
    assert path == tmp_path / "ranking.html"
    assert path.read_bytes() == page.encode()


def test_a_hundred_thousand_rows_make_a_small_page_that_says_where_the_rest_is(make_summary):
    rows = make_summary(2000).rows * 50
    page = render_ranking(make_summary(rows=rows, n_ranked=100_000, rest="ranked.csv"))
    assert len(page.encode()) < LIMIT
    assert count_rows(page) == 1000
    said = "The first 1,000 of 100,000 ranked rows; all of them are in ranked.csv"
    assert said in Page(page).text
    assert len(read_data(page)["rows"]) == 1000


@pytest.mark.parametrize("char", ["x", "<", "😀", "\u202e"], ids=["x", "tag", "emoji", "bidi"])
def test_long_cells_make_fewer_rows_and_never_a_large_page(make_summary, char):
    long = char * 10_000
    rows = tuple(
        RankedRow(rank, long, 1.0, 0.5, (Reason(long, long, 1.0),) * 3, (long,) * 12)
        for rank in range(1, 1001)
    )
    summary = make_summary(rows=rows, columns=(long,) * 12, title=long, headline=long)
    summary = replace(summary, made={long: long}, cleaning=dict.fromkeys([long], long))
    effects = tuple(replace(one, name=long, example=long) for one in summary.features)
    page = render_ranking(replace(summary, features=effects * 30, n_ranked=1000))
    assert len(page.encode()) < LIMIT
    shown = count_rows(page)
    assert 30 <= shown < 1000
    assert f"The first {shown} of 1,000 ranked rows" in Page(page).text
    assert "and 9,400 more characters" in Page(page).text


def test_many_columns_are_cut_and_counted(make_summary):
    names = tuple(f"column {at}" for at in range(5000))
    rows = tuple(replace(row, cells=("1",) * 5000) for row in make_summary(50).rows)
    page = render_ranking(
        make_summary(rows=rows, columns=names, cleaning=dict.fromkeys(names, "number"))
    )
    assert len(page.encode()) < LIMIT
    text = Page(page).text
    assert "4,960 more columns of the table are not shown here." in text
    assert "4,880 more columns are not shown here." in text


def test_the_data_of_the_page_is_what_it_shows(page, make_summary):
    raw = re.search(r'id="summary">(.*?)</script>', page, re.DOTALL)[1]
    assert not set("<>&") & set(raw)
    data, summary = json.loads(raw), make_summary()
    assert set(data) == {field.name for field in fields(summary)}
    assert [row["id"] for row in data["rows"]] == [row.id for row in summary.rows]
    assert [row["probability"] for row in data["rows"]] == [
        row.probability for row in summary.rows
    ]
    assert data["finds"]["expected"] == list(summary.finds.expected)
    assert data["counts"]["n_labeled"] == 312


def test_hostile_texts_are_text_wherever_they_stand(make_summary):
    for attack in ATTACKS:
        page = render_ranking(make_hostile(make_summary(8), attack))
        parsed = Page(page)
        tags = [tag for tag, _ in parsed.tags]
        assert tags.count("script") == 2
        assert not {"img", "iframe", "object", "link", "base", "form"} & set(tags)
        assert not any(mark in page for mark in (*ATTACKS[:3], "{{ 49", "49{%"))
        names = {name for _, attributes in parsed.tags for name in attributes}
        assert not any(name.startswith("on") for name in names)
        # Heading, headline, ids, reasons, cells, columns, features, members and the rest.
        assert unescape(page).count(attack) > 60


def make_hostile(value, attack):
    """Return a summary in which every text is an attack."""
    if isinstance(value, str):
        return value if value in ("stop", "warning", "note") else attack
    if isinstance(value, tuple):
        return tuple(make_hostile(one, attack) for one in value)
    if isinstance(value, dict):
        return {attack: attack}
    if hasattr(value, "__dataclass_fields__"):
        return type(value)(
            **{name: make_hostile(one, attack) for name, one in vars(value).items()}
        )
    return value


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x00b", r"a\x00b"),
        ("invoice\u202efdp.exe", r"invoice\u202efdp.exe"),
        ("\u2066isolated\u2069", r"\u2066isolated\u2069"),
        ("bell\x07 \x1b[31m red", r"bell\x07 \x1b[31m red"),
        ("half \ud83d", r"half \ud83d"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("👩‍👩‍👧 Müller שלום", "👩‍👩‍👧 Müller שלום"),
        ("\ufeffstart\u200b", r"\ufeffstart\u200b"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text, seen):
    assert make_visible(text) == seen
    page = render_ranking(
        make_bare(columns=("c",), rows=(RankedRow(1, text, 0.5, None, (), (text,)),))
    )
    assert unescape(page).count(seen) >= 2
    page.encode()  # no lone surrogate is left


@pytest.mark.parametrize("n_chars", [0, 1, 9, 10, 11, 39, 40, 41, 500])
@pytest.mark.parametrize("char", ["x", "\x00"])
def test_an_excerpt_is_short_and_loses_nothing_that_it_does_not_count(char, n_chars):
    found = excerpt(char * n_chars, 10, 40)
    assert len(found.short) <= 10
    assert (found.whole or found.short) == make_visible(char * (n_chars - found.n_more))
    assert found.n_more == max(0, n_chars - 40)


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("finds", "finds"),
        ("prior", "prior"),
        ("calibration", "calibration"),
        ("features", "columns"),
        ("comparison", "comparison"),
    ],
)
def test_a_missing_part_says_why_or_vanishes(make_summary, name, section):
    nothing = () if name in ("features", "comparison") else None
    page = render_ranking(make_summary(3, **{name: nothing}))
    assert Page(page).sections == [one for one in SECTIONS if one != section]
    page = render_ranking(make_summary(3, **{name: nothing}, missing={name: "Too few <rows>."}))
    assert Page(page).sections == SECTIONS
    assert "Left out: Too few <rows>." in Page(page).text


def test_the_least_makes_a_page():
    parsed = Page(render_ranking(make_bare()))
    assert parsed.sections == ["short", "rows", "made"]
    assert "The one row that was ranked." in parsed.text
    headings = [at for at, (tag, _) in enumerate(parsed.tags) if tag == "th"]
    assert len(headings) == 4  # rank, row and score; and the row's own
    parsed = Page(render_ranking(make_bare(rows=(), n_ranked=0)))
    assert "No row was ranked." in parsed.text
    assert "table" not in [tag for tag, _ in parsed.tags]


def test_rows_without_a_file_of_their_own_say_so(make_summary):
    text = Page(render_ranking(make_summary(3, rest="", n_ranked=9))).text
    assert "the others have no room on this page" in text


def test_numbers_that_are_missing_are_dashes_and_null(make_summary):
    full = make_summary(3)
    nans = (NAN,) * len(full.finds.k)
    rows = tuple(
        replace(row, score=NAN, probability=NAN, reasons=(Reason("a", "nan", NAN),))
        for row in full.rows
    )
    summary = replace(
        full,
        rows=rows,
        finds=replace(full.finds, expected=nans, low=nans, high=nans, chance=nans, naive=nans),
        prior=replace(full.prior, value=NAN, low=NAN, high=NAN),
        calibration=Reliability((ReliabilityBin(*(NAN,) * 5),), NAN, "?"),
        features=tuple(replace(one, share=NAN) for one in full.features),
        comparison=tuple(
            replace(one, naive=NAN, ours=NAN, chance=NAN, rivals=()) for one in full.comparison
        ),
        members=tuple(replace(one, weight=NAN) for one in full.members),
        outcomes=tuple(replace(one, finds=NAN, prior=math.inf) for one in full.outcomes),
    )
    page = render_ranking(summary)
    assert "<svg" not in page
    assert page[page.index("<tbody") :].count("nan") == count_nan_texts(page)
    row = read_data(page)["rows"][0]
    assert (row["score"], row["probability"]) == (None, None)


def count_nan_texts(page):
    """Count values that are the text "nan", in chips and in the data."""
    return page.count("<b>nan</b>") + page.count('"value": "nan"')


def test_only_our_own_script_may_run_and_nothing_is_loaded(page):
    parsed = Page(page)
    for tag, attributes in parsed.tags:
        assert tag not in ("link", "iframe", "object", "embed", "img")
        for name in ("src", "href"):
            assert (attributes.get(name) or "#").startswith("#")
    (policy,) = [tag["content"] for _, tag in parsed.tags if "http-equiv" in tag]
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    assert "setUpRanking" in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    assert "@import" not in page
    assert "url(" not in page


def test_what_does_not_fit_together_is_said(make_summary):
    summary = make_summary(3)
    rows = (replace(summary.rows[0], cells=("1",)), *summary.rows[1:])
    with pytest.raises(ValueError, match=r"one for each of the 12 columns, got 1 in row 1"):
        render_ranking(replace(summary, rows=rows))
    with pytest.raises(ValueError, match=r"as many values in low as in k \(26\), got 1"):
        render_ranking(replace(summary, finds=replace(summary.finds, low=(1.0,))))


def read_points(svg, kind, tag="polyline"):
    found = re.search(rf'<{tag} class="{kind}" points="([^"]*)"', svg)
    return [tuple(map(float, pair.split(","))) for pair in found[1].split()]


def test_the_line_of_finds_rises_inside_its_band_and_above_chance(make_summary):
    svg = str(draw_finds(make_summary(1).finds))
    line, chance = read_points(svg, "expected"), read_points(svg, "chance")
    band = read_points(svg, "band", "polygon")
    upper, lower = band[: len(line)], band[len(line) :][::-1]
    for above, here, below, random in zip(upper, line, lower, chance, strict=True):
        assert above[0] == here[0] == below[0] == random[0]
        assert above[1] <= here[1] <= below[1] <= random[1]  # down is larger
    assert [y for _, y in line] == sorted((y for _, y in line), reverse=True)
    (top, bottom) = read_points(svg, "stop")
    at = [x for x, _ in line][make_summary(1).finds.k.index(180)]
    assert top[0] == bottom[0] == at
    assert "Stop after 180" in svg


@pytest.mark.parametrize("n_points", [2, 119, 120, 121, 5000])
def test_a_long_curve_keeps_its_ends_and_where_to_stop(make_summary, n_points):
    ks = tuple(range(n_points))
    ys = tuple(map(float, ks))
    stop = n_points // 3 or None
    finds = FindsCurve(ks, ys, ys, ys, ys, (), stop, 0.9, "So.")
    shown = read_data(render_ranking(make_summary(1, finds=finds)))["finds"]
    assert len(shown["k"]) == len(shown["expected"]) <= 120
    assert {0, n_points - 1, stop or 0} <= set(shown["k"])
    assert shown["k"] == sorted(set(shown["k"]))
    assert shown["k"] == shown["expected"]


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 0.02, 0.5, 0.99])
def test_shares_of_any_size_are_drawn_inside_the_figure(scale):
    prior = PriorFact(scale, scale / 2, min(1.0, scale * 1.5), 3.0, True, "")
    bins = (ReliabilityBin(scale / 3, scale / 2, 0.0, scale, 0.9),)
    bins += (ReliabilityBin(scale, scale, scale / 2, min(1.0, 2 * scale), 0.1),)
    for svg in (draw_prior(prior), draw_reliability(Reliability(bins, 0.0, ""))):
        places = re.findall(r'(?:cx|x)="([-\d.]+)"', str(svg))
        places += [
            x
            for pair in re.findall(r'points="([^"]*)"', str(svg))
            for x, _ in (point.split(",") for point in pair.split())
        ]
        assert places
        assert all(0 <= float(x) <= 600 for x in places)
        assert "e+" not in str(svg)


def test_a_curve_without_two_points_is_not_drawn():
    assert draw_finds(FindsCurve((), (), (), ())) is None
    assert draw_finds(FindsCurve((0,), (0.0,), (0.0,), (0.0,))) is None
    assert draw_reliability(Reliability((), 0.0, "")) is None
    flat = FindsCurve((0, 1), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    assert "<svg" in str(draw_finds(flat))
