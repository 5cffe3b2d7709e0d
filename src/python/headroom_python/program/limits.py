"""What a run may take of this machine, and what it has taken."""

import mmap
import os

# Of what a scheduler or a container allows, so that the run ends itself and says why before it is killed.
SHARE = 0.9
CGROUPS = "/sys/fs/cgroup"
CGROUP_LIMITS = ("memory.max", "memory.limit_in_bytes")


def resident():
    return int(_second("/proc/self/statm") * mmap.PAGESIZE)


def waited():
    """Seconds in which other programs had the CPUs that the program could have used."""
    return _second("/proc/self/schedstat") / 1e9


def most_memory():
    """Half of this machine's memory, and less where a scheduler or a container allows less."""
    allowed = [int(SHARE * limit) for limit in cgroup_limits(_text("/proc/self/cgroup"), CGROUPS)]
    return min([_half_of_memory(), *allowed])


def cgroup_limits(groups, root):
    """The limits of this process's groups and of those above. `groups`: lines `number:controllers:path`."""
    for line in groups.splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers not in ("", "memory"):
            continue
        top = os.path.join(root, controllers)
        folder = os.path.normpath(top + path)
        while folder.startswith(top):
            for name in CGROUP_LIMITS:
                text = _text(os.path.join(folder, name)).strip()
                if text.isdigit():
                    yield int(text)
            folder = os.path.dirname(folder)


def _half_of_memory():
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def _text(path):
    """Not through `open`, which a dry run replaces."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY)) as file:
            return file.read()
    except OSError:
        return ""


def _second(path):
    """The second number of a file; 0 where there is none."""
    try:
        return int(_text(path).split()[1])
    except (ValueError, IndexError):
        return 0
