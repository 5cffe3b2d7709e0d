"""What JSON files and lines hold that are not on this machine: records in which every key is there."""

import json
import sys

from ..protocol import Refusal
from .made_up import CLASSES, ENTRIES, MARK
from .packages import is_library
from .rows import Row, of_file

# Keys under which files keep their records.
CONTAINERS = ("data", "train", "training", "val", "valid", "validation", "test", "annotations", "images", "samples", "examples", "items", "rows", "records", "categories")

# By these, rows are told apart and belong together: a picture and what is in it.
KEYS = ("id", "image_id", "img_id", "idx", "index", "uid")
# What a row of a file has only the name of.
IN_FILES = {**dict.fromkeys(("image", "img", "picture", "mask"), "00000.jpg"), "audio": "00000.wav"}


class Records(list):
    """A file of them: a list, or a dictionary of lists; a number in it is the one that the program itself has by this name."""

    def __init__(self, rows, notes):
        super().__init__(rows)
        self.notes = notes

    def __getitem__(self, key):
        if isinstance(key, str):
            if key.lower() == "categories":  # few, as of folders
                return Records(self[:CLASSES], self.notes)
            return self if key.lower() in CONTAINERS else _number(key, self.notes)
        return Records(super().__getitem__(key), self.notes) if isinstance(key, slice) else super().__getitem__(key)

    def __contains__(self, key):
        return key.lower() in CONTAINERS if isinstance(key, str) else super().__contains__(key)

    def get(self, key, default=None):
        return self[key] if str(key).lower() in CONTAINERS else default

    def items(self):
        return iter([(str(i), row) for i, row in enumerate(self)])

    def keys(self):
        return [str(i) for i in range(len(self))]

    def values(self):
        return iter(self)


class Record(Row):
    """A row of a file, which other rows know by its number, and which names files."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def __missing__(self, column):
        if str(column).lower() in KEYS:
            self[column] = self.number
        elif (name := of_file(column) or IN_FILES.get(str(column).lower())) is not None:
            self[column] = name
        return self[column] if column in dict.keys(self) else super().__missing__(column)


def _number(key, notes):
    """`VOCAB_SIZE` of the program's modules, or the default of a class in them, if all of them are the same."""
    own = [vars(module) for module in list(sys.modules.values()) if getattr(module, "__file__", None) and not is_library(module.__file__)]
    classes = [vars(one) for names in own for one in names.values() if isinstance(one, type) and not is_library(getattr(sys.modules.get(one.__module__), "__file__", None) or "<")]
    found = {names[name] for names in (*own, *classes) for name in (key, key.upper()) if type(names.get(name)) in (int, float)}
    if len(found) != 1:
        raise Refusal("data", f"the program needs {key!r} of a JSON file that is missing")
    value = found.pop()
    notes.add(f"the program's own {key}, {value}, for that of a JSON file that is missing")
    return value


def install(notes):
    load, loads = json.load, json.loads

    def found(value):
        if isinstance(value, list) and value and value[0] == MARK:
            return Records(map(Record, range(ENTRIES)), notes)
        return Row() if value == MARK else value

    json.loads = lambda *args, **kwargs: found(loads(*args, **kwargs))
    json.load = lambda file, *args, **kwargs: found(load(file, *args, **kwargs))
