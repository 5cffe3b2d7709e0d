"""Notebooks: their code cells run behind each other, as Jupyter runs them, in the notebook's folder.

Signs of IPython become calls of its shell, as IPython's own translation has them (IPython/core/inputtransformer2.py) and as
`jupyter nbconvert --to script` writes them: `!command`, `%magic`, `%%magic`, `name?`. Of these only what decides about a run is done.
"""

import json
import linecache
import os
import re
import shlex
import subprocess
import sys
import types

from ..protocol import Refusal
from .packages import Nothing

# Magics above a cell that is Python all the same; other languages are no part of the run.
PYTHON_CELL = ("time", "timeit", "capture", "prun", "python", "python3", "memit", "mprun")
SHELL_CELL = ("bash", "sh", "shell")
STATEMENT = ("time", "timeit", "prun", "memit")
SIGN = re.compile(r"^(\s*)(?:([A-Za-z_][\w, ]*?)\s*=\s*)?(!!?|%)(\w?.*)$")
HELP = re.compile(r"^\s*(\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
# What `jupyter nbconvert --to script` leaves of the signs.
EXPORTED = "get_ipython()."


def is_notebook(path):
    return path.endswith(".ipynb")


def run(path, starts, parameters=None, folder=None):
    """Runs all cells as the program `__main__`, in this folder or its own; an error of a cell ends the run. `starts`: whether a
    command of the notebook starts a program. `parameters`: of papermill."""
    path = os.path.abspath(path)
    os.chdir(os.path.dirname(path) if folder is None else folder)
    main = types.ModuleType("__main__")
    main.__dict__.update(names(main.__dict__, starts))
    before, sys.modules["__main__"] = sys.modules.get("__main__"), main
    try:
        for number, source in cells(path, parameters):
            _execute(source, f"{path}, cell {number}", main.__dict__)
    finally:
        sys.modules["__main__"] = before


def cells(path, parameters=None):
    """The number, from 1, and the source of each code cell; parameters come after the cell that is tagged for them, else first."""
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        sheets = [told, *(told.get("worksheets") or [])]  # before version 4 of the format
        found = [cell for sheet in sheets for cell in sheet.get("cells") or []]
        code = [cell for cell in found if cell.get("cell_type") == "code"]
        source = [cell.get("source", cell.get("input", "")) for cell in code]
        tagged = [i for i, cell in enumerate(code) if "parameters" in (cell.get("metadata") or {}).get("tags", ())]
    except (OSError, ValueError, AttributeError) as error:
        raise Refusal("command", f"{os.path.basename(path)} is not a notebook that can be read") from error
    numbered = list(enumerate(("".join(one) for one in source), 1))
    if parameters:
        after = tagged[0] + 1 if tagged else 0
        numbered.insert(after, (after, "".join(f"{name} = {value!r}\n" for name, value in parameters.items())))
    return numbered


def _execute(source, name, space):
    text = python_of(source)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)


def python_of(source):
    """Plain Python with as many lines as the cell; what a magic of the whole cell hands on to another language is one call."""
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        magic, _, words = lines[first][2:].partition(" ")
        if magic.strip() not in PYTHON_CELL:
            return "\n" * first + _call("run_cell_magic", magic.strip(), words.strip(), "\n".join(lines[first + 1 :]))
        lines[first] = ""
    return "\n".join(_translated(lines))


def _translated(lines):
    out, at = [], 0
    while at < len(lines):
        line, more = lines[at], 0
        match = SIGN.match(line)
        if match is None or _is_remainder(lines[:at]):
            out.append("" if HELP.match(line) else line)
            at += 1
            continue
        while line.endswith("\\") and at + more + 1 < len(lines):
            more += 1
            line = line[:-1] + lines[at + more]
        indent, target, sign, rest = SIGN.match(line).groups()
        made = _statement("!!" if target and sign == "!" else sign, rest.strip())
        out += [f"{indent}{target} = {made}" if target else f"{indent}{made}", *[""] * more]
        at += more + 1
    return out


def _is_remainder(lines):
    """Whether a line goes on with an expression: `a \\` and, below, `% b`."""
    return bool(lines) and lines[-1].rstrip().endswith(("\\", "(", ","))


def _statement(sign, rest):
    if sign != "%":
        return _call("getoutput" if sign == "!!" else "system", rest)
    magic, _, words = rest.partition(" ")
    return words.strip() or "pass" if magic in STATEMENT and not words.startswith("-") else _call("run_line_magic", magic, words.strip())


def _call(name, *words):
    return f"get_ipython().{name}({', '.join(map(repr, words))})"


def names(space, starts):
    """What IPython puts beside a program's own names."""
    shell = Shell(space, starts)
    return {"get_ipython": lambda: shell, "display": lambda *args, **kwargs: None}


def names_of(path, starts):
    """For a program that `jupyter nbconvert --to script` wrote; otherwise none, since programs ask by them where they run."""
    try:
        with open(path, encoding="utf-8") as file:
            return names({}, starts) if EXPORTED in file.read() else None
    except (OSError, UnicodeDecodeError):
        return None


class Shell(Nothing):
    """The shell of a notebook: it starts Python programs, changes folders and variables, and writes files."""

    def __init__(self, space, starts):
        self.space, self.starts = space, starts

    def system(self, command):
        words = _words(self._filled(command))
        if words[:1] == ["cd"]:
            return self.run_line_magic("cd", " ".join(words[1:]))
        if self.starts(words):  # what else a notebook starts, it installs, lists or downloads
            subprocess.Popen(words).wait()
        return None

    def getoutput(self, command):
        self.system(command)
        return []

    def run_line_magic(self, name, words, *_):
        words = self._filled(words)
        if name == "cd" and words:
            os.chdir(os.path.expanduser(_words(words)[-1]))
        if name in ("env", "set_env") and words:
            key, _, value = words.partition("=") if "=" in words else words.partition(" ")
            os.environ[key.strip()] = value.strip()
        if name in ("run", "sx", "system"):
            self.system(f"{'python ' if name == 'run' else ''}{words}")

    def run_cell_magic(self, name, words, body):
        if name in ("writefile", "file"):
            *options, path = _words(self._filled(words))
            with open(path, "a" if "-a" in options else "w", encoding="utf-8") as file:
                file.write(body)
        if name in SHELL_CELL:
            for line in body.replace("\\\n", " ").split("\n"):
                if line.strip() and not line.lstrip().startswith("#"):
                    self.system(line)

    def _filled(self, text):
        """With values of the notebook: `{expression}` and `$name`."""
        try:
            text = re.sub(r"(?<!\{)\{([^{}]+)\}(?!\})", lambda one: str(eval(one[1], self.space)), text)
        except Exception:
            return text
        return re.sub(r"\$(\w+)", lambda one: str(self.space[one[1]]) if one[1] in self.space else one[0], text)


def _words(command):
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return []
