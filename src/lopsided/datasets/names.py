"""Column names of the paper's files, which have no header, where their origin settles them."""

__all__ = ["name_features"]

_LETTER = (
    "x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br "
    "x-ege xegvy y-ege yegvx"
)
_NAMES = {
    "thyroid": "age TSH T3 TT4 T4U FTI",
    # The third column is not UCI's vconst_corr but nearly a copy of vconst_2.
    "climate": (
        "study run vconst_2_copy vconst_2 vconst_3 vconst_4 vconst_5 vconst_7 ah_corr ah_bolus "
        "slm_corr efficiency_factor tidal_mix_max vertical_decay_scale convect_corr "
        "bckgrnd_vdc1 bckgrnd_vdc_ban bckgrnd_vdc_eq bckgrnd_vdc_psim Prandtl"
    ),
    "cover": (
        "elevation aspect slope horizontal_distance_to_hydrology "
        "vertical_distance_to_hydrology horizontal_distance_to_roadways hillshade_9am "
        "hillshade_noon hillshade_3pm horizontal_distance_to_fire_points"
    ),
    "seismic": (
        "genergy gpuls gdenergy gdpuls nbumps nbumps2 nbumps3 nbumps4 nbumps5 energy maxenergy"
    ),
    # Two letters side by side.
    "letter": f"{_LETTER} {_LETTER.replace(' ', '_second ')}_second",
    "yeast": "mcg gvh alm mit erl pox vac nuc",
    "poker": " ".join(f"suit_{card} rank_{card}" for card in range(1, 6)),
    "satellite": " ".join(f"pixel_{i}_band_{j}" for i in range(1, 10) for j in range(1, 5)),
    "segment": (
        "region-centroid-col region-centroid-row region-pixel-count short-line-density-5 "
        "short-line-density-2 vedge-mean vedge-sd hedge-mean hedge-sd intensity-mean "
        "rawred-mean rawblue-mean rawgreen-mean exred-mean exblue-mean exgreen-mean "
        "value-mean saturation-mean hue-mean"
    ),
}


def name_features(name: str, n_features: int) -> tuple[str, ...]:
    """Return one name per column: the origin's own, or `x0`, `x1`, ... where unknown."""
    if name in _NAMES:
        return tuple(_NAMES[name].split())
    return tuple(f"x{column}" for column in range(n_features))
