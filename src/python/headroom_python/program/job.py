"""A dry run of a program as a job: this process makes its folders, finds its Python, ends it at its limit, and removes what is left.

The program's own Python is a child, because the sandbox that it enters lets nobody in it remove anything."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from ..alone import is_first
from ..protocol import Refusal
from ..search import ended_words, parsed

# The end of stderr, of which the last line says why there is no answer.
MOST_STDERR = 8192
ENDINGS = ("SIGTERM", "SIGINT", "SIGHUP")


def run_job(request, channel):
    if not is_first():
        return
    here = os.path.dirname(os.path.abspath(request["script"]))
    folder = folder_of(request["folder"], here)
    python = python_of(request["pythons"], folder)
    channel.progress(f"Python: {python}")
    for name in ENDINGS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    own = tempfile.mkdtemp(prefix="dry-run-", dir=here)
    try:
        scratch, helpers = (os.path.join(own, name) for name in ("scratch", "helpers"))
        os.mkdir(scratch)
        program = {**request["program"], "folder": folder, "scratch": scratch, "cacheFolder": helpers, "script": request["script"]}
        _relayed([python, request["script"]], program, request["limitSeconds"], channel)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def folder_of(named, here):
    """The folder of the program: that of the copied code, or one of this machine, seen from the home folder."""
    folder = os.path.join(here, "code") if named is None else os.path.join(os.path.expanduser("~"), os.path.expanduser(named))
    if not os.path.isdir(folder):
        raise Refusal("folder", f"{named or folder} is no folder there")
    return folder


def python_of(candidates, folder):
    """The first that is there, by its path in the folder; otherwise the Python of this process."""
    found = (os.path.join(folder, path) for path in candidates)
    return next((path for path in found if os.access(path, os.X_OK) and os.path.isfile(path)), sys.executable)


def _leave(number, _):
    # A second signal must not interrupt what the first one removes.
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _relayed(command, program, seconds, channel):
    """Passes on the child's answers and nothing else that it or the program prints."""
    # No GPU is touched, whoever asks for one and before torch is imported.
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=program["folder"])
    except OSError as error:
        raise Refusal("python", f"{command[0]} does not start ({error.strerror})") from error
    why = []
    late = threading.Timer(seconds, lambda: (why.append(f"it was ended because it took longer than {seconds:.0f} s"), child.kill()))
    late.daemon = True
    said = _Tail(child.stderr)
    try:
        late.start()
        # Left open: when this process ends in any way, the child sees it close and ends too.
        child.stdin.write(json.dumps(program).encode() + b"\n")
        child.stdin.flush()
        answered = False
        for line in child.stdout:
            answer = parsed(line)
            kind = answer.pop("kind", None)
            if kind is not None:
                channel.say(kind, **answer)
                answered = answered or kind != "progress"
        code = child.wait()
        if not answered:
            raise Refusal("failed", why[0] if why else f"{ended_words(code, 'it')}{said.last()}")
    except BrokenPipeError as error:
        raise Refusal("failed", f"{command[0]} ended before it began{said.last()}") from error
    finally:
        late.cancel()
        child.kill()
        child.wait()


class _Tail:
    """Reads a pipe to its end and keeps the last of it."""

    def __init__(self, pipe):
        self.pipe, self.text = pipe, b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while piece := self.pipe.read1(4096):
            self.text = (self.text + piece)[-MOST_STDERR:]

    def last(self):
        self.thread.join(1)
        lines = self.text.decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1][:300]}" if lines else ""
