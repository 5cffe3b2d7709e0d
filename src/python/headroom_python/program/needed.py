"""Data without which a program ends by itself: where it asks for no other reason whether they are there, they are."""

import ast
import functools
import linecache
import os
import pathlib
import sys

from .packages import is_library, is_tried

ASKS = ("exists", "isdir", "isfile", "is_dir", "is_file")
EXITS = ("exit", "quit", "_exit")


def install(notes):
    for owner, names in ((os.path, ASKS[:3]), (pathlib.Path, ("exists", "is_dir", "is_file"))):
        for name in names:
            setattr(owner, name, _asking(getattr(owner, name), notes))


def _asking(really, notes):
    @functools.wraps(really)
    def asked(path, *args, **kwargs):
        if really(path, *args, **kwargs):
            return True
        frame = sys._getframe(1)
        file = frame.f_code.co_filename
        if not path or isinstance(path, int) or is_library(file) or frame.f_lineno not in ends(file) or is_tried(frame):
            return False
        notes.add(f"{os.path.basename(os.path.normpath(os.fsdecode(path)))} as if it were there, since the program ends without it")
        return True

    return asked


@functools.lru_cache(maxsize=256)
def ends(file):
    """The lines that ask whether something is there and end the program if not: `assert exists(…)`, `if not exists(…): raise`."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(line for node in ast.walk(tree) for line in _lines_of(node))


def _lines_of(node):
    if isinstance(node, ast.Assert):
        return _lines(node.test, False)
    if isinstance(node, ast.If):
        return (_lines(node.test, True) if _is_end(node.body) else []) + (_lines(node.test, False) if _is_end(node.orelse) else [])
    return []


def _lines(test, is_denied):
    """Of the questions in a condition: those after `not`, or the others."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _lines(test.operand, not is_denied)
    if isinstance(test, ast.BoolOp):
        return [line for value in test.values for line in _lines(value, is_denied)]
    name = getattr(test.func, "attr", getattr(test.func, "id", None)) if isinstance(test, ast.Call) else None
    return list(range(test.lineno, test.end_lineno + 1)) if name in ASKS and not is_denied else []


def _is_end(body):
    last = body[-1] if body else None
    if isinstance(last, ast.Raise):
        return True
    call = last.value if isinstance(last, ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", None)) in EXITS
