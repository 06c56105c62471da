"""A study of seconds, for tests and for the processes that they start: little to import."""

from dataclasses import replace

from lopsided_bench.study import MethodSpec, Setting, Study

QUICK = {"n_estimators": 5}
STUDY = Study(
    name="try",
    title="A try",
    datasets=("wine-rare", "breast-cancer-rare"),
    settings=(Setting("scar", 0.5), Setting("sar-far", 0.5)),
    methods=(
        MethodSpec("naive", "naive-xgb", QUICK),
        MethodSpec("focused", "focused-xgb", QUICK),
        MethodSpec("tree", "puhdt", repeats=1),
        MethodSpec("oracle", "xgb", QUICK),
    ),
    repeats=2,
)
BOOSTERS = replace(STUDY, methods=(*STUDY.methods[:2], STUDY.methods[3]))
