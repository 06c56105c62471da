"""A browser, and a ranking as a desk that looks for fraud would have it, of plain numbers."""

import math
import random
import time
from dataclasses import replace

import pytest
from chromium import browser as browser

from lopsided.report.ranking_summary import (
    AssumedOutcome,
    Counts,
    FeatureEffect,
    FindsCurve,
    Member,
    Notice,
    PriorFact,
    RankedRow,
    RankingSummary,
    Reason,
    RecallRow,
    Reliability,
    ReliabilityBin,
    RivalRecall,
)

COLUMNS = (
    "amount",
    "days_since_last_claim",
    "claimant_age",
    "region",
    "channel",
    "policy_type",
)
COLUMNS += ("n_prior_claims", "repair_shop", "date", "vehicle_age", "deductible", "adjuster")
REGIONS = ("North", "South", "East", "West")
CHANNELS = ("broker", "web", "phone", "branch")
KS = (*range(0, 500, 20), 500)


def make_cells(draw):
    return (
        f"{draw.lognormvariate(8, 0.8):.2f}",
        str(draw.randrange(1, 900)),
        str(draw.randrange(18, 91)) if draw.random() > 0.1 else "",
        draw.choice(REGIONS),
        draw.choice(CHANNELS),
        draw.choice(("comprehensive", "third party", "fleet")),
        str(draw.randrange(0, 9)),
        draw.choice(("Garage Lindqvist & Sons", "AutoFix", "Karosserie Müller", "own")),
        f"2025-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
        f"{draw.randrange(0, 240) / 10}",
        draw.choice(("0", "150", "300", "1,000")),
        draw.choice(("A. Ortiz", "B. Chen", "C. Nowak")),
    )


def make_rows(count):
    draw = random.Random(0)
    rows = []
    for rank in range(1, count + 1):
        cells = make_cells(draw)
        score = 3.2 - 1.1 * math.log(rank)
        reasons = tuple(
            Reason(COLUMNS[at], cells[at], round(draw.uniform(1.4, 0.3) * sign, 3))
            for at, sign in zip(draw.sample(range(12), 3), (1, 1, -0.6), strict=True)
        )
        chance = 1 / (1 + math.exp(-score))
        rows.append(RankedRow(rank, f"CL-{20_000 + 7 * rank}", score, chance, reasons, cells))
    return tuple(rows)


def make_finds():
    expected = [62 * (1 - math.exp(-k / 140)) for k in KS]
    return FindsCurve(
        k=KS,
        expected=tuple(expected),
        low=tuple(0.68 * value for value in expected),
        high=tuple(min(1.35 * value, k) for k, value in zip(KS, expected, strict=True)),
        chance=tuple(70 * k / 4_803 for k in KS),
        naive=tuple(0.7 * value for value in expected),
        stop_at=180,
        sentence="The first 180 rows should hold about 45 hidden positives (90 % band 31 to "
        "61); after that, ten further rows promise fewer than one.",
    )


def make_summary(n_rows=120, **changes):
    """Return a full summary of so many rows, some of its parts changed."""
    bins = ((0.01, 0.012, 0.004, 0.03, 0.9), (0.12, 0.1, 0.04, 0.2, 0.06))
    bins += ((0.35, 0.41, 0.25, 0.6, 0.03), (0.62, 0.55, 0.4, 0.8, 0.01))
    effects = (0.31, 0.2, 0.14, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.007, 0.003)
    words = ("higher is more suspicious", "lower is more suspicious", "broker, phone", "")
    whole = RankingSummary(
        title="Motor claims, March 2025",
        source="claims-2025-03.csv",
        created="31 March 2025, 14:05 UTC",
        method="focused-fast",
        counts=Counts(5_210, 312, 95, 4_803, 12),
        headline="Review the first 180 rows: 45 (31 to 61) more positives are expected there.",
        n_ranked=4_803,
        columns=COLUMNS,
        rows=make_rows(n_rows),
        rest="claims-2025-03-ranked.csv",
        warnings=(
            Notice(
                "warning",
                "Easy cases seem to be labeled first: 58 labeled rows stand among the first "
                "90, where a random choice would have 41 at most (p = 0.02). Finds and recall "
                "are likely too high.",
            ),
            Notice("note", "Column 'claim_no' is another number in each row and was left out."),
        ),
        signal="There is signal: labeled rows, scored blind, stand high (AUC 0.91 of 312 "
        "labeled rows, p = 0.0005).",
        finds=make_finds(),
        prior=PriorFact(
            0.074,
            0.062,
            0.093,
            73.5,
            True,
            "A share of 0.074 is positive (90 % interval 0.062 to 0.093): about 74 positives "
            "(11 to 173) are hidden among 4,803 unlabeled rows.",
        ),
        calibration=Reliability(
            tuple(ReliabilityBin(*one) for one in bins),
            0.018,
            "Probabilities can be taken as they are: none differs from what was found by more "
            "than chance.",
        ),
        features=tuple(
            FeatureEffect(
                name,
                "number" if at % 3 else "category",
                effects[at],
                words[at % 4],
                "9,800 adds +1.2 in row CL-20007" if at < 4 else "",
            )
            for at, name in enumerate(COLUMNS)
        ),
        comparison=tuple(
            RecallRow(
                k,
                312,
                found,
                found - 14,
                found + 13,
                312 * k / 4_803,
                0.7 * found,
                (RivalRecall("desk's own score", 0.6 * found, "too close to call"),),
                f"Of your 312 confirmed cases, scored blind, {found} stand in the first {k}.",
            )
            for k, found in ((50, 88), (100, 141), (200, 214))
        ),
        assumptions=(
            "Labels are taken to be given at random among positives (SCAR).",
            "Hidden positives look like confirmed ones; a kind of fraud that nobody has found "
            "yet cannot be ranked.",
        ),
        outcomes=(
            AssumedOutcome("labels at random", 0.074, 0.69, 47, 200),
            AssumedOutcome("easy cases labeled first", 0.13, 0.5, 91, 200),
            AssumedOutcome("hard cases labeled first", 0.066, 0.75, 22, 200),
        ),
        made={
            "File": "claims-2025-03.csv, 5,210 rows, sha256 9f2c…",
            "Labels": "Column fraud: 'yes' is positive, 'cleared' is a reviewed negative.",
            "Method": "focused-fast: an ensemble weighted by how high confirmed cases stand.",
            "Seed": "0",
        },
        cleaning=dict.fromkeys(COLUMNS, "number; 3 cells could not be read"),
        members=(Member("puhrf", 0.52), Member("logistic", 0.31), Member("knn", 0.17)),
        versions={"lopsided": "0.1", "scikit-learn": "1.7", "numpy": "2.2"},
    )
    return replace(whole, **changes)


@pytest.fixture(name="make_summary", scope="session")
def _make_summary():
    return make_summary


@pytest.fixture(scope="session")
def eventually():
    """Ask until it holds, for ten seconds: a busy browser paints and stores late."""

    def ask(holds, seconds=10):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    return ask


@pytest.fixture
def forget():
    """Empty a browser's storage until it stays empty: what another page wrote may come late."""

    def clear(browser):
        empty = 0
        for _ in range(20):
            browser.execute_script("localStorage.clear()")
            browser.refresh()
            left = browser.execute_script("return localStorage.length")
            empty = 0 if left else empty + 1
            if empty == 2:
                return

    return clear
