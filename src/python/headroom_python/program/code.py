"""The files that decide what a program does, with a digest each, and the line of an error that its author knows."""

import hashlib
import os
import sys
import traceback

CONFIGS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".py")
LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pixi.lock", "Pipfile.lock", "conda-lock.yml", "environment.yml", "requirements.txt", "pyproject.toml")
MOST_FILES, MOST_BYTES = 400, 4 << 20


def files_of(folder, overlay):
    """Path in the folder → digest: modules of the project, configs that it read, lock files."""
    inside = os.path.join(os.path.realpath(folder), "")
    named = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    named |= {os.path.realpath(path) for path in overlay.configs} | {os.path.join(inside, name) for name in LOCKS}
    named.add(os.path.abspath(sys.argv[0]))
    found = {}
    for path in sorted(filter(None, named)):
        real = os.path.realpath(path)
        if not real.startswith(inside) or "site-packages" in real or len(found) >= MOST_FILES:
            continue
        digest = digest_of(real)
        if digest is not None:
            found[real[len(inside) :].replace(os.sep, "/")] = digest
    return found


def digest_of(path):
    try:
        if os.path.getsize(path) > MOST_BYTES:
            return None
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]
    except OSError:
        return None


def place_of(error, folder):
    """The innermost line in the project's own files; otherwise the innermost of all."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = os.path.join(os.path.realpath(folder), "")
    own = [frame for frame in frames if not frame.filename.startswith("<") and os.path.realpath(frame.filename).startswith(inside) and "site-packages" not in frame.filename]
    at = (own or frames or [None])[-1]
    if at is None:
        return None
    name = os.path.realpath(at.filename)
    return f"{name[len(inside):] if name.startswith(inside) else os.path.basename(name)}:{at.lineno}"
