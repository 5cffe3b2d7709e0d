"""What JSON files and lines hold that are not on this machine: records in which every key is there."""

import json

from ..protocol import Refusal
from .made_up import ENTRIES, MARK
from .rows import Row

# Keys under which files keep their records.
CONTAINERS = ("data", "train", "training", "val", "valid", "validation", "test", "annotations", "images", "samples", "examples", "items", "rows", "records")


class Records(list):
    """A file of them: a list, or a dictionary of lists; anything else in it is unknown."""

    def __getitem__(self, key):
        if isinstance(key, str):
            if key.lower() in CONTAINERS:
                return self
            raise _unknown(key)
        return Records(super().__getitem__(key)) if isinstance(key, slice) else super().__getitem__(key)

    def get(self, key, default=None):
        return self[key] if str(key).lower() in CONTAINERS else default

    def items(self):
        return iter([(str(i), row) for i, row in enumerate(self)])

    def keys(self):
        return [str(i) for i in range(len(self))]

    def values(self):
        return iter(self)


def _unknown(key):
    return Refusal("data", f"the program needs {key!r} of a JSON file that is missing")


def install():
    load, loads = json.load, json.loads

    def found(value):
        if isinstance(value, list) and value and value[0] == MARK:
            return Records(Row() for _ in range(ENTRIES))
        return Row() if value == MARK else value

    json.loads = lambda *args, **kwargs: found(loads(*args, **kwargs))
    json.load = lambda file, *args, **kwargs: found(load(file, *args, **kwargs))
