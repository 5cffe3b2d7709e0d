"""Tables (CSV, Parquet, Excel) that are not on this machine: rows in which every column that is asked for is there."""

import numbers
import os
import sys

from ..protocol import Refusal
from .amounts_made_up import ENTRIES
from .imported import when_imported
from .packages import is_library, is_prepared
from .rows import text_beside

FILES = {"wav": (".wav", ("audio", "wav", "sound", "speech")), "masks": (".png", ("mask", "trimap")), "png": (".png", ("path", "file", "image", "img", "photo", "picture"))}
CLASSES = ("label", "target", "class", "category", "y", "sentiment", "gender", "split", "fold", "stars")
NUMBERS = (
    *("price", "close", "open", "high", "low", "volume", "value", "score", "rating", "age", "lat", "lon", "temperature", "height", "width"),
    *("id", "idx", "index", "count", "year", "month", "day", "hour", "power", "load", "sales", "demand", "x", "z", "length", "duration"),
)
READERS = ("read_csv", "read_table", "read_excel", "read_parquet", "read_json", "read_feather", "read_pickle")
# Methods that name columns of the table.
NAMING = ("dropna", "groupby", "sort_values", "set_index", "drop_duplicates", "explode", "value_counts", "pivot_table", "assign")


def cells(column, beside=()):
    """What a column of this name most likely holds, for all rows; `beside`: the columns that are there already."""
    words = str(column).lower().replace("-", "_").split("_")
    for kind, (ending, hints) in FILES.items():
        if any(hint in word for word in words for hint in hints):
            folder = f"{kind}/" if kind == "masks" else ""
            return [f"{folder}{i:05d}{ending}" for i in range(ENTRIES)]
    if words[-1] in CLASSES or words[0] in CLASSES:
        return [i % 2 for i in range(ENTRIES)]
    if words[-1] in NUMBERS:
        return [float(i) for i in range(ENTRIES)] if words[-1] not in ("id", "idx", "index", "count", "year") else list(range(ENTRIES))
    if any(word in ("date", "time", "datetime", "timestamp") for word in words):
        return [f"2024-{1 + i // 28 % 12:02d}-{1 + i % 28:02d}" for i in range(ENTRIES)]
    return [text_beside(beside)] * ENTRIES


def install(overlay, notes):
    when_imported("pandas", lambda module: _tables(module, overlay, notes))


def _tables(pandas, overlay, notes):
    Frame = _frame(pandas)
    for name in READERS:
        if hasattr(pandas, name):
            setattr(pandas, name, _reader(getattr(pandas, name), Frame, overlay, notes))


def _reader(really, Frame, overlay, notes):
    def read(path, *args, **kwargs):
        if isinstance(path, (str, os.PathLike)) and "://" not in str(path) and overlay.is_missing(path):
            frame = sys._getframe(1)
            if not is_library(frame.f_code.co_filename) and not is_prepared(frame):
                notes.add(f"{ENTRIES} made-up rows for {os.path.basename(path)}, which is missing")
                return Frame(index=range(ENTRIES), named=kwargs.get("names"))
        return really(path, *args, **kwargs)

    return read


def _frame(pandas):
    class Cells(Named, pandas.Series):
        @property
        def _constructor(self):
            return Cells

    class Frame(Columns, pandas.DataFrame):
        @property
        def _constructor(self):
            return Frame

        @property
        def _constructor_sliced(self):
            return Cells

    Frame.plain = pandas.DataFrame
    for name in NAMING:
        setattr(Frame, name, _naming(getattr(pandas.DataFrame, name)))
    return Frame


class Named:
    """A row that has whatever is asked of it by name."""

    def __getitem__(self, key):
        if not isinstance(key, str) or key in self.index:
            return super().__getitem__(key)
        return cells(key, self.index)[self.name % ENTRIES if isinstance(self.name, numbers.Integral) else 0]


# What a program asks of a table that depends on how many columns it has.
COUNTED = ("columns", "values", "shape", "to_numpy", "dtypes")


PANDAS = f"{os.sep}pandas{os.sep}"
OWN = os.path.dirname(os.path.abspath(__file__))


def _refusal():
    return Refusal("data", "a table is missing, and how many columns it has decides the model")


class Columns:
    """A table to which the columns come that are asked for."""

    def __init__(self, *args, named=None, **kwargs):
        super().__init__(*args, **kwargs)
        self._need(*(named or ()))

    def _need(self, *names):
        for name in names:
            if isinstance(name, str) and name not in self.columns:
                self[name] = [cells(name, self.columns)[i % ENTRIES] for i in range(len(self))]

    def __getitem__(self, key):
        if isinstance(key, str):
            self._need(key)
        elif isinstance(key, list) and key and all(isinstance(one, str) for one in key):
            self._need(*key)
            return self.plain(super().__getitem__(key))
        elif getattr(key, "dtype", None) == bool and len(key) == len(self) and not key.any():
            return self.copy()  # no filter is against made-up rows
        return super().__getitem__(key)

    def __getattr__(self, name):
        if name.startswith("_") or is_library(sys._getframe(1).f_code.co_filename):
            return super().__getattr__(name)
        return self[name]

    def __getattribute__(self, name):
        if name in COUNTED:
            file = sys._getframe(1).f_code.co_filename
            if not is_library(file) or (not file.startswith(OWN) and PANDAS not in file and not self._mgr.items.size):
                raise _refusal()
        return super().__getattribute__(name)

    def __array__(self, *args, **kwargs):
        if not self._mgr.items.size:
            raise _refusal()
        return super().__array__(*args, **kwargs)

    @property
    def loc(self):
        return Place(self, super().loc)

    @property
    def at(self):
        return Place(self, super().at)

    @property
    def iloc(self):
        return Place(self, super().iloc)

    def itertuples(self, index=True, name="Pandas"):
        return (Tuple(self, i) for i in range(len(self)))

    def drop(self, *args, **kwargs):
        return super().drop(*args, **{**kwargs, "errors": "ignore"})


class Tuple:
    """A row of `itertuples()`: what is asked of it by name becomes a column."""

    def __init__(self, frame, row):
        self._frame, self._row = frame, row

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._frame.index[self._row] if name == "Index" else self._frame[name].iloc[self._row]

    def __iter__(self):
        raise _refusal()

    def __getitem__(self, key):
        raise _refusal()

    __len__ = __iter__


class Place:
    """`table.iloc[…]`: by position, the first column has names of files and the others labels."""

    def __init__(self, frame, really):
        self.frame, self.really = frame, really

    def __getitem__(self, key):
        column = key[1] if isinstance(key, tuple) and len(key) == 2 else None
        if isinstance(column, int) and not isinstance(column, bool):
            self._count(column)
        self.frame._need(*(column if isinstance(column, list) else (column,)))
        return self.really[key]

    def _count(self, column):
        for i in range(len(self.frame.columns), column + 1):
            self.frame._need("file" if i == 0 else "label" if i == 1 else f"label_{i}")

    def __setitem__(self, key, value):
        self.really[key] = value


def _naming(really):
    def method(self, *args, **kwargs):
        for given in (*args[:1], kwargs.get("by"), kwargs.get("subset"), kwargs.get("keys")):
            self._need(*(given if isinstance(given, (list, tuple)) else (given,)))
        return really(self, *args, **kwargs)

    return method
