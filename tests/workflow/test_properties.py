"""Tables as users have them end in a ranking of every unlabeled row, or in a ValueError."""

import warnings

import numpy as np
import pandas as pd
from hypothesis import event, given, settings
from hypothesis import strategies as st

import lopsided
from lopsided.workflow.tables import TableCleaner, read_table, write_table

QUICK = {"method": "naive-logistic", "n_jobs": 1}
BLANKS = st.sampled_from(["", " ", "NA", "n/a", "-", None])
AMOUNTS = st.floats(-1e6, 1e6).map(lambda value: round(value, 2))
DAYS = st.dates(pd.Timestamp(1970, 1, 1).date(), pd.Timestamp(2050, 1, 1).date())
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
CELLS = {
    "numbers": st.floats(width=32),
    "counts": st.integers(-100, 100),
    "amounts": AMOUNTS.map("{:,.2f} EUR".format),
    "decimal commas": AMOUNTS.map(lambda value: f"{value:.2f}".replace(".", ",")),
    "shares": st.floats(0, 1).map("{:.1%}".format),
    "days": DAYS.map(str),
    "German days": DAYS.map(lambda day: day.strftime("%d.%m.%Y")),
    "times": st.times().map(lambda time: time.strftime("%H:%M")),
    "answers": st.sampled_from(["yes", "no", "Yes", "NO"]),
    "kinds": st.sampled_from(["glass", "theft", "water"]),
    "booleans": st.booleans(),
    "texts": WORDS,
    "anything": st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS),
}
NAMES = st.one_of(st.sampled_from(["amount", "day", "kind", "two\nlines"]), WORDS)
LABELS = {  # what a positive, an unlabeled and a reviewed negative row have
    "numbers": (1, 0, -1),
    "floats": (1.0, np.nan, -1.0),
    "booleans": (True, False, False),
    "texts": ("1", "", "-1"),
    "words": ("fraud", "", "cleared"),
}


@st.composite
def columns(draw, n_rows):
    """A column of one kind of cells, some of them blank in a part of the columns."""
    cells = CELLS[draw(st.sampled_from(sorted(CELLS)))]
    if draw(st.booleans()):
        cells = st.one_of(cells, cells, cells, BLANKS)
    return draw(st.lists(cells, min_size=n_rows, max_size=n_rows))


@st.composite
def tables(draw):
    """A frame of objects, the truth of its labels, and the roles of its columns."""
    n_rows = draw(st.integers(4, 30))
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    frame = pd.DataFrame(
        {name: pd.Series(draw(columns(n_rows)), dtype=object) for name in names}
    )
    drawn = st.lists(st.sampled_from([0, 0, 1, -1]), min_size=n_rows, max_size=n_rows)
    y = np.array(draw(drawn))
    if draw(st.integers(0, 9)):  # else there may be too few labels to learn from
        y[:4] = 1, 1, 0, 0
    writing = draw(st.sampled_from(sorted(LABELS)))
    positive, unlabeled, negative = LABELS[writing]
    cells = {1: positive, 0: unlabeled, -1: negative}
    frame["label"] = pd.Series([cells[one] for one in y], dtype=object)
    roles = {"positive": positive, "negative": negative} if writing == "words" else {}
    if writing == "booleans":
        y = np.maximum(y, 0)
    if draw(st.booleans()):
        frame["id"] = [f"C-{row}" for row in range(n_rows)]
        roles["id"] = "id"
    return frame, y, roles


def check_message(error):
    """A refusal is one short line that starts like a sentence."""
    said = str(error)
    assert said.strip()
    assert "\n" not in said
    assert len(said) < 500


@settings(max_examples=30)
@given(tables())
def test_a_table_is_ranked_or_refused(table):
    frame, y, roles = table
    before = frame.copy(deep=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            ranking = lopsided.fit(frame, "label", **QUICK, **roles).rank(frame)
        except ValueError as error:
            event("refused")
            return check_message(error)
    event("ranked")
    pd.testing.assert_frame_equal(frame, before)
    assert len(ranking) == (y == 0).sum()
    assert ranking["rank"].tolist() == list(range(1, len(ranking) + 1))
    assert np.isfinite(ranking["score"]).all()
    assert (np.diff(ranking["score"]) <= 0).all()
    assert ranking["probability"].dropna().between(0, 1).all()
    if "id" in roles:
        assert set(ranking["id"]) == set(frame["id"][y == 0])


@settings(max_examples=10)
@given(tables())
def test_a_table_is_checked_or_refused(table):
    frame, _, roles = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            found = lopsided.check(frame, "label", n_jobs=1, **roles)
        except ValueError as error:
            return check_message(error)
    assert f"{len(frame)} rows" in str(found)


@given(tables())
def test_a_cleaner_reads_new_rows_as_it_read_its_table(table):
    frame = table[0].drop(columns="label")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            cleaner = TableCleaner().fit(frame)
        except ValueError as error:
            return check_message(error)
        clean, half = cleaner.transform(frame), cleaner.transform(frame[::2])
    assert len(clean) == len(frame)
    pd.testing.assert_frame_equal(
        clean[::2].reset_index(drop=True), half.reset_index(drop=True)
    )
    assert not np.isinf(clean.select_dtypes("number").to_numpy(float)).any()


@given(tables(), st.sampled_from([".csv", ".tsv", ".csv.gz", ".parquet"]))
def test_a_table_of_text_survives_a_file(tmp_path_factory, table, suffix):
    frame = table[0].map(lambda cell: "" if cell is None else str(cell))
    frame = frame.set_axis([f"column {place}" for place in range(frame.shape[1])], axis=1)
    path = tmp_path_factory.mktemp("files") / f"table{suffix}"
    write_table(frame, path)
    pd.testing.assert_frame_equal(read_table(path), frame, check_dtype=False)
