"""Tables that are not on this machine and that a program reads with Python's own csv: they have the columns that its reader names."""

import dis
import re

from .tables import cells

NAME = re.compile(r"^[A-Za-z_][\w -]{0,40}$")
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": ","}


def text(ending, frame, within, rows):
    """A header and rows; None: the reader does not use csv, or names no column. `within`: the codes of a function."""
    if ending not in DELIMITERS or "csv" not in frame.f_globals:
        return None
    columns = list(dict.fromkeys(name for part in within(frame.f_code) for name in (*_asked(part), *_listed(part, frame))))
    if not columns:
        return None
    lines = [columns, *zip(*(cells(column, columns) for column in columns))][: rows + 1]
    return "".join(DELIMITERS[ending].join(map(str, line)) + "\n" for line in lines)


def _asked(code):
    """`row["name"]`, `row.get("name")`."""
    steps = [one for one in dis.get_instructions(code) if one.opname not in ("CACHE", "PUSH_NULL", "EXTENDED_ARG")]
    for before, one, after in zip([None, *steps], steps, steps[1:]):
        is_key = after.opname == "BINARY_SUBSCR" or after.argrepr == "[]"
        is_got = before is not None and before.opname in ("LOAD_METHOD", "LOAD_ATTR") and before.argval == "get"
        if isinstance(one.argval, str) and one.opname == "LOAD_CONST" and (is_key or is_got) and NAME.match(one.argval):
            yield one.argval


def _listed(code, frame):
    """Names in a tuple of the module or of the object that the reader refers to: columns that it looks for."""
    for name in code.co_names:
        found = frame.f_globals.get(name) or getattr(frame.f_locals.get("self"), name, None)
        if isinstance(found, (tuple, list)) and found and all(isinstance(one, str) and NAME.match(one) for one in found):
            yield from found
