"""Runs as a single rank, and as a process that ends with its parent."""

import os
import sys
import threading

# Variables with which launchers describe a process group (torchrun, Slurm's PyTorch plug-ins, Lightning, DeepSpeed).
GROUP = ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE")
RANKS = ("RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK")


def is_first():
    """The first of a launcher's processes measures; the others do nothing and succeed."""
    return all(os.environ.get(name, "0") in ("", "0") for name in ("RANK", "SLURM_PROCID", "LOCAL_RANK"))


def variables_alone():
    """The environment in which code that joins a process group gets a group of one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TORCHELASTIC_")}
    if not any(name in kept for name in (*GROUP, *RANKS)):
        return kept
    return {**kept, **dict.fromkeys(GROUP, "1"), **dict.fromkeys(RANKS, "0"), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}


def free_port():
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def end_with_starter():
    """Ends this process when its parent ends in any way: the parent holds the other end of standard input."""

    # The user's code must not read it.
    sys.stdin = open(os.devnull, encoding="utf-8")

    def wait():
        try:
            while os.read(0, 4096):
                pass
        finally:
            os._exit(3)

    threading.Thread(target=wait, daemon=True).start()


def line_from_starter():
    """Reads exactly the one line of the request: `end_with_starter` waits for the rest."""
    line = bytearray()
    while not line.endswith(b"\n"):
        piece = os.read(0, 1)
        if not piece:
            break
        line += piece
    return line.decode("utf-8")
