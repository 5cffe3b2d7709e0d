"""The installed packages: versions without heavy imports."""

import importlib.metadata
import platform
import sys

from .protocol import Refusal

NAMES = ("torch", "transformers", "peft", "accelerate", "timm", "lightning", "pytorch-lightning", "tokenizers", "sentence-transformers")

# Before 2.4 fake tensors take other paths through autograd's hooks, for which the counts were not verified.
LEAST_TORCH = (2, 4)


def versions():
    found = {name: _version(name) for name in NAMES}
    return {"python": platform.python_version(), **{name: version for name, version in found.items() if version is not None}}


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def tell_versions(request, channel):
    channel.say("versions", versions=versions(), executable=sys.executable)


def release(version):
    """`2.15.0+cu126` -> (2, 15)."""
    numbers = []
    for part in version.split("+")[0].split(".")[:2]:
        digits = "".join(c for c in part if c.isdigit())
        numbers.append(int(digits) if digits else 0)
    return tuple(numbers)


def need(packages, least=LEAST_TORCH):
    """Raises an error that names missing packages, and a torch older than `least`; never installs any."""
    found = versions()
    missing = [name for name in packages if _version(name) is None]
    if missing:
        raise Refusal(
            "packages",
            f"{sys.executable} has no {' and no '.join(missing)}",
            missing=missing,
            executable=sys.executable,
        )
    if "torch" in packages and release(found["torch"]) < least:
        oldest = ".".join(map(str, least))
        raise Refusal("version", f"torch {found['torch']} is older than {oldest}, the oldest whose fake tensors are followed")
    return found
