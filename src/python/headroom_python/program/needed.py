"""Data without which a program ends by itself: where it asks for no other reason whether they are there, they are."""

import ast
import functools
import linecache
import os
import pathlib
import re
import sys

from .packages import is_library, is_tried

ASKS = ("exists", "isdir", "isfile", "is_dir", "is_file")
EXITS = ("exit", "quit", "_exit")
# What programs write: folders of it stay empty, and a program that returns without it goes on.
OUTPUTS = re.compile(r"log|run|out|result|checkpoint|ckpt|save|weight|model|sample|cache|te?mp|wandb|plot|fig|resume", re.IGNORECASE)


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
        if not path or isinstance(path, int) or is_library(file) or frame.f_lineno not in ends(file) or is_tried(frame) or os.path.lexists(path):
            return False
        if ends(file)[frame.f_lineno] == "returns" and OUTPUTS.search(os.path.basename(os.path.normpath(os.fsdecode(path)))):
            return False
        notes.add(f"{_named(os.path.abspath(os.fsdecode(path)))} as if it were there, since the program needs it")
        return True

    return asked


def _named(path):
    """A folder by its name, files by what they end in."""
    stem, ending = os.path.splitext(os.path.basename(path))
    return f"*{ending} of {os.path.basename(os.path.dirname(path))}" if ending else stem


@functools.lru_cache(maxsize=256)
def ends(file):
    """The lines that ask whether something is there and do nothing with it if not: `assert exists(…)`, `if not exists(…): raise`,
    `if not isdir(folder): continue` before the folder is listed, `if isdir(folder):` around it, `if not exists(…): print(…); return` before it
    is used. Line → how."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    returning = {line: "returns" for node in ast.walk(tree) for line in _returns(node)}
    return {**returning, **{line: "ends" for node in ast.walk(tree) for line in _lines_of(node)}}


def _returns(node):
    """Of a function that says what is missing and returns nothing."""
    if not isinstance(node, ast.FunctionDef):
        return []
    out = []
    for i, part in enumerate(node.body):
        last = part.body[-1] if isinstance(part, ast.If) and len(part.body) > 1 and not part.orelse else None
        if isinstance(last, ast.Return) and last.value is None and any(_names(part.test) & _names(later) for later in node.body[i + 1 :]):
            out += _lines(part.test, True)
    return out


LISTS = ("listdir", "scandir", "walk", "glob", "rglob", "iterdir")
MODULES = {"os", "glob", "path", "Path", "sorted"}


def _lists(nodes, names):
    """Whether something of these names is listed."""
    calls = (node for part in nodes for node in ast.walk(part) if isinstance(node, ast.Call))
    listing = (call for call in calls if getattr(call.func, "attr", getattr(call.func, "id", None)) in LISTS)
    return any(names & _names(call) for call in listing)


def _names(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - MODULES


def _skips(loop):
    """Of a loop over folders that the program knows: those that are not there would leave it without data."""
    out = []
    for i, node in enumerate(loop.body):
        if not isinstance(node, ast.If) or node.orelse:
            continue
        if isinstance(node.body[-1], ast.Continue) and _lists(loop.body[i + 1 :], _names(node.test)):
            out += _lines(node.test, True)
        elif _lists(node.body, _names(node.test)):
            out += _lines(node.test, False)
    return out


def _lines_of(node):
    if isinstance(node, ast.For):
        return _skips(node)
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
