"""Modules of the project that is not installed in this Python: they lie in its folders, where `pip install -e .` would find them."""

import importlib.machinery
import os
import re
import sys

# Files by which a project is known.
MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
# Where they say what else the project needs.
REQUIREMENTS = re.compile(r"^(requirements.*\.(txt|in|ya?ml)|environment.*\.ya?ml|pyproject\.toml|setup\.(py|cfg)|Pipfile)$", re.IGNORECASE)
# What they call the project itself, whose name on the index may be somebody else's.
OWN_NAME = re.compile(r"\bname['\"]?\s*[=:]\s*['\"]?[\w.-]+")
# Above these there is hardly a project, and its files of requirements are smaller.
MOST_LEVELS = 4
MOST_BYTES = 1 << 20


def roots(folder):
    """The project's folders, the nearest first: this one and those above it, up to the one that says where the project begins."""
    found, whole = [], os.path.abspath(folder)
    for _ in range(MOST_LEVELS):
        found.append(whole)
        if any(os.path.exists(os.path.join(whole, marker)) for marker in MARKERS):
            return found
        whole = os.path.dirname(whole)
    return found[:1]


def spec_of(name, folder):
    """Where the project has a module of this name; None: it has not."""
    for root in roots(folder):
        for place in (root, os.path.join(root, "src")):
            found = importlib.machinery.PathFinder.find_spec(name, [place])
            if found is not None and (found.origin is not None or _has_code(found)):
                return found
    return None


def _has_code(spec):
    """A folder without `__init__.py` is a package if there is Python in it; data have folders, too."""
    places = list(spec.submodule_search_locations or ())
    below = [entry.path for place in places for entry in os.scandir(place) if entry.is_dir()]
    return any(file.endswith(".py") for place in (*places, *below) for file in os.listdir(place))


def requirement(name, folder):
    """What the project's own files ask for by this name, as they write it; None: they do not."""
    wanted = re.compile(rf"(?<![\w./-]){'[-_.]'.join(map(re.escape, re.split('[-_.]', name)))}(\[[\w,-]+\])?(?=\s*([=<>~!;,#'\"]|$))", re.IGNORECASE | re.MULTILINE)
    for root in roots(folder):
        for file in sorted(filter(REQUIREMENTS.match, os.listdir(root))):
            try:
                with open(os.path.join(root, file), encoding="utf-8") as opened:
                    match = wanted.search(OWN_NAME.sub("", opened.read(MOST_BYTES)))
            except (OSError, UnicodeDecodeError):
                continue
            if match:
                return match[0]
    return None
