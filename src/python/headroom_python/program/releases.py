"""Errors of a program that was written for another release of a library than the installed one."""

import importlib.metadata
import re
import sys

KEYWORD = re.compile(r"^(?P<call>[\w.]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'")
IMPORT = re.compile(r"^cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
ATTRIBUTE = re.compile(r"^module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")


def release_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "release"


def words_of(error, is_library):
    """What the installed release does not have; None: the error is another one."""
    text = str(error)
    if isinstance(error, ImportError) and (match := IMPORT.match(text)) and is_library(error.path or ""):
        return _words(match["name"], match["module"])
    if isinstance(error, AttributeError) and (match := ATTRIBUTE.match(text)):
        what, module = match["name"], match["module"]
    elif isinstance(error, TypeError) and (match := KEYWORD.match(text)):
        what, module = f"{match['name']} of {match['call'].removesuffix('.__init__')}", _module_of(error, match["call"].split(".")[0])
    else:
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    return _words(what, module) if file and is_library(file) else None


def _module_of(error, name):
    """Where what was called with a wrong name is from, by the frames of the call, the innermost first; before Python 3.10, no class is named."""
    if name == "__init__":
        return None
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.insert(0, trace.tb_frame)
        trace = trace.tb_next
    for frame in frames:
        known = [*frame.f_locals.values(), *frame.f_globals.values()]
        called = frame.f_globals.get(name) or next((one for one in known if getattr(one, "__name__", None) == name), None)
        if called is not None:
            return getattr(called, "__module__", None)
    return None


def _words(what, module):
    package = module.split(".")[0]
    return f"the program uses {what}, which the installed {package} {release_of(package)} does not have"
