"""Data frames as parquet: numbers as they are, text and categories as codes of their values."""

import io
import json
import re
from typing import Any
from zoneinfo import available_timezones

import numpy as np

from lopsided.store.container import Refused

_PLAIN = {float: "float", int: "int", str: "str", bool: "bool", type(None): "None"}
_NUMBERS = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
_NUMBERS |= {"float16", "float32", "float64", "bool"}
_NULLABLE = {
    name.replace("int", "Int").replace("uI", "UI") for name in _NUMBERS if "int" in name
}
_NULLABLE |= {"Float32", "Float64", "boolean"}
_UNITS = ("s", "ms", "us", "ns")  # of dates
_OFFSET = re.compile(r"UTC|(UTC)?[+-]\d\d:\d\d")
_INDEX = "index"


def dump_frame(frame: Any, name: str) -> tuple[bytes, bytes]:
    """Return a frame as a parquet file of numbers, and as JSON what its columns are."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not isinstance(frame, pd.DataFrame):
        raise Refused(f"takes data frames of pandas, got {type(frame).__name__} for {name!r}")
    if isinstance(frame.columns, pd.MultiIndex) or isinstance(frame.index, pd.MultiIndex):
        raise Refused(f"takes frames of plain columns and rows, got levels of them in {name!r}")
    arrays, columns = [], []
    for place, label in enumerate(frame.columns):
        _check_plain(label, f"the names of the columns of {name!r}")
        numbers, kind = _dump_column(frame.iloc[:, place], f"column {label!r} of {name!r}")
        arrays.append(numbers)
        columns.append({"name": label, **kind})
    facts: dict[str, Any] = {"n_rows": len(frame), "columns": columns}
    plain = isinstance(frame.index, pd.RangeIndex) and frame.index.equals(
        pd.RangeIndex(len(frame))
    )
    if not plain or frame.index.name is not None:
        numbers, kind = _dump_column(frame.index.to_series(), f"the index of {name!r}")
        _check_plain(frame.index.name, f"the name of the index of {name!r}")
        arrays.append(numbers)
        facts[_INDEX] = {"name": frame.index.name, **kind}
    names = [str(place) for place in range(len(arrays))]
    buffer = io.BytesIO()
    table = pa.table({key: pa.array(own) for key, own in zip(names, arrays, strict=True)})
    pq.write_table(table, buffer, compression="zstd", store_schema=False)
    return buffer.getvalue(), json.dumps(facts).encode()


def load_frame(data: bytes, facts_json: bytes, max_bytes: int) -> Any:
    """Return the frame of both parts."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    facts = json.loads(facts_json)
    kinds = [*facts["columns"], *([facts[_INDEX]] if _INDEX in facts else [])]
    for kind in kinds:
        _check_plain(kind["name"], "the names of columns")
    file = pq.ParquetFile(io.BytesIO(data), arrow_extensions_enabled=False)
    n_rows, n_columns = file.metadata.num_rows, file.metadata.num_columns
    # A few bytes can stand for any number of equal values.
    if n_rows * max(n_columns, 1) * 16 > max_bytes:
        raise Refused(f"must hold at most {max_bytes} bytes, got a frame of {n_rows} rows")
    if len(kinds) != n_columns or (kinds and n_rows != facts["n_rows"]):
        raise Refused("must have frames as they were saved, got other columns or rows")
    if not 0 <= facts["n_rows"] <= max_bytes:
        raise Refused("must have frames as they were saved, got other columns or rows")
    if not all(pa.types.is_primitive(field.type) for field in file.schema_arrow):
        raise Refused("must have frames of numbers, got other columns")
    table = file.read(use_threads=False)
    values = [_load_column(table.column(i), kind) for i, kind in enumerate(kinds)]
    index: Any = pd.RangeIndex(facts["n_rows"])
    if _INDEX in facts:
        index = pd.Index(values.pop(), name=facts[_INDEX]["name"])
    for place, own in enumerate(values):
        if isinstance(own, pd.Series | pd.DatetimeIndex):
            values[place] = own.array
    frame = pd.DataFrame(dict(enumerate(values)), index=index, columns=range(len(values)))
    frame.columns = pd.Index([kind["name"] for kind in facts["columns"]])
    return frame


def _dump_column(column: Any, where: str) -> tuple[Any, dict[str, Any]]:
    """Return a column as numbers that parquet holds, and what they stand for."""
    import pandas as pd

    dtype = column.dtype
    kind = str(dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        numbers, of = _dump_column(dtype.categories.to_series(), f"the levels of {where}")
        levels = {"numbers": numbers.tolist(), "kind": of}
        codes = column.cat.codes.to_numpy(np.int32)
        return codes, {"dtype": "category", "ordered": bool(dtype.ordered), "levels": levels}
    if isinstance(dtype, pd.StringDtype):
        codes, values = _encode_values(column, where)
        missing = "NA" if getattr(dtype, "na_value", pd.NA) is pd.NA else "nan"
        text = {"dtype": "string", "storage": dtype.storage, "missing": missing}
        return codes, {**text, "values": values}
    if kind == "object":
        codes, values = _encode_values(column, where)
        return codes, {"dtype": "object", "values": values}
    if isinstance(dtype, pd.DatetimeTZDtype) or getattr(dtype, "kind", "") == "M":
        unit = str(getattr(dtype, "unit", None) or np.datetime_data(dtype)[0])
        zone = getattr(dtype, "tz", None)
        numbers = column.to_numpy(f"M8[{unit}]").view(np.int64)
        zone_name = None if zone is None else str(zone)
        return numbers, {"dtype": "datetime64", "unit": unit, "zone": zone_name}
    if kind in _NUMBERS:
        return column.to_numpy(), {"dtype": kind}
    if kind in _NULLABLE:
        return column.array, {"dtype": kind}
    raise Refused(f"takes numbers, text, categories and dates, got {kind} in {where}")


def _encode_values(column: Any, where: str) -> tuple[Any, list[Any]]:
    """Return the code of each value, -1 for those missing in text, and the values.

    True, 1 and 1.0 are equal, and values of their own; so are None and NaN.
    """
    places: dict[Any, int] = {}
    values: list[Any] = []
    is_text = column.dtype != object
    codes = np.empty(len(column), np.int32)
    missing = column.isna().to_numpy()
    for row, value in enumerate(column.to_numpy(dtype=object)):
        if is_text and missing[row]:
            codes[row] = -1
            continue
        _check_plain(value, where)
        key = (type(value), "nan" if missing[row] else value)
        if key not in places:
            places[key] = len(values)
            values.append(value)
        codes[row] = places[key]
    return codes, values


def _check_plain(value: Any, where: str) -> None:
    if type(value) not in _PLAIN:
        raise Refused(
            f"takes {', '.join(_PLAIN.values())} in {where}, got {type(value).__name__}"
        )


def _load_column(chunks: Any, kind: dict[str, Any]) -> Any:
    """Return the values of a column, as pandas keeps them."""
    import pandas as pd

    if kind["dtype"] in _NULLABLE:
        return pd.array(chunks.to_pylist(), dtype=kind["dtype"])
    return _load_values(chunks.to_numpy(), kind)


def _load_values(numbers: Any, kind: dict[str, Any]) -> Any:
    """Return what numbers stand for."""
    import pandas as pd

    dtype = kind["dtype"]
    wanted = {"category": "int32", "object": "int32", "string": "int32", "datetime64": "int64"}
    if numbers.dtype != np.dtype(wanted.get(dtype, dtype)):
        raise Refused("must have frames as they were saved, got columns of other types")
    if dtype == "category":
        of = kind["levels"]["kind"]
        own = np.array(kind["levels"]["numbers"], wanted.get(of["dtype"], of["dtype"]))
        levels = pd.Index(_load_values(own, of))
        return pd.Categorical.from_codes(numbers, levels, ordered=bool(kind["ordered"]))
    if dtype == "datetime64":
        return _load_dates(numbers, kind)
    if dtype in ("object", "string"):
        return _decode_values(numbers, kind)
    return numbers


def _load_dates(numbers: Any, kind: dict[str, Any]) -> Any:
    import pandas as pd

    if kind["unit"] not in _UNITS:
        raise Refused(f"must have dates in {', '.join(_UNITS)}, got {kind['unit']!r}")
    times = pd.DatetimeIndex(numbers.view(f"M8[{kind['unit']}]"))
    if kind["zone"] is None:
        return times
    # Other names of zones are paths, which would be opened.
    if kind["zone"] not in available_timezones() and not _OFFSET.fullmatch(str(kind["zone"])):
        raise Refused(f"must have zones by their names, got {kind['zone']!r}")
    return times.tz_localize("UTC").tz_convert(str(kind["zone"]))


def _decode_values(codes: Any, kind: dict[str, Any]) -> Any:
    import pandas as pd

    values = kind["values"]
    is_text = kind["dtype"] == "string"
    for value in values:
        _check_plain(value, "a frame")
    least, most = int(codes.min(initial=0)), int(codes.max(initial=-1))
    if least < (-1 if is_text else 0) or most >= len(values):
        raise Refused("must have frames as they were saved, got codes without a value")
    known = np.empty(len(values) + 1, object)
    known[:-1], known[-1] = values, None
    found = known[codes]
    if not is_text:
        return pd.Series(found, dtype=object)
    if kind["missing"] == "NA":
        return pd.array(found, dtype=pd.StringDtype(kind["storage"]))
    return pd.array(found, dtype=pd.StringDtype(kind["storage"], na_value=np.nan))
