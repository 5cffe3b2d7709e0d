"""Nothing that the program does reaches the user's files, other programs or the network.

Linux: Landlock, so the kernel refuses what gets past Python, without root. Elsewhere, and before it: audit hooks of Python."""

import ctypes
import os
import sys

# include/uapi/linux/landlock.h
CREATE, ADD, RESTRICT = 444, 445, 446
WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))  # write, remove, make …
REFER, TRUNCATE = 1 << 13, 1 << 14
BIND_TCP, CONNECT_TCP = 1, 2
NO_NEW_PRIVILEGES = 38
DEVICES = ("/dev/null", "/dev/tty", "/dev/shm")


class Rules(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class Below(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def closed(writable):
    """Restricts this process and all that it starts to reading, and to writing below `writable`; True if the kernel does it."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE, None, 0, 1)
    if version < 1:
        return False
    handled = WRITES | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    rules = Rules(handled, BIND_TCP | CONNECT_TCP if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(CREATE, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        return False
    file_rights = handled & ((1 << 1) | TRUNCATE)
    for path in (*writable, *DEVICES):
        if not os.path.exists(path):
            continue
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = handled if os.path.isdir(path) else file_rights
        libc.syscall(ADD, ruleset, 1, ctypes.byref(Below(allowed, opened)), 0)
        os.close(opened)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    is_closed = libc.syscall(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return is_closed


PROGRAMS = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "subprocess.Popen")
NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")
OTHERS = ("os.kill", "os.killpg")


def watch(refused):
    """Refuses what nobody has to start: other programs, connections, signals. `refused` counts them."""

    def hook(event, arguments):
        if event in PROGRAMS:
            refused[f"start of {_word(arguments)}" if event != "os.fork" else "other processes"] += 1
            raise FileNotFoundError(2, "a dry run starts no other program")
        if event in NETWORK and not _is_local(event, arguments):
            refused["connections"] += 1
            raise OSError(101, "a dry run has no network")
        if event in OTHERS:
            raise PermissionError(1, "a dry run sends no signals")

    sys.addaudithook(hook)


def quiet(made, refused):
    """Shell commands: folders are made as the program would see them; others end as if they had worked, and nothing is started."""

    def system(command):
        words = os.fsdecode(command).split()
        if words[:1] == ["mkdir"] and not set("|;&><$*`") & set(command):
            for path in (word for word in words[1:] if not word.startswith("-")):
                made(path)
        else:
            refused[f"start of {os.path.basename(words[0]) if words else 'a shell'}"] += 1
        return 0

    os.system = system


def _word(arguments):
    first = arguments[0] if arguments else ""
    first = first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)
    return os.path.basename(first.split(" ")[0]) or "a program"


def _is_local(event, arguments):
    """A socket of this machine's own files (AF_UNIX), which reaches nobody here."""
    return event == "socket.bind" and len(arguments) > 1 and isinstance(arguments[1], str)
