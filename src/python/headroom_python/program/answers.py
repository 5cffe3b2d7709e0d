"""What programs ask of other programs, which a dry run does not start: git's notes, the terminal's size, nvidia-smi's tables."""

import io
import os
import re
import shlex
import subprocess

COMMIT = "0" * 40
# Commands of git that only ask, and their answers.
OF_GIT = {
    **{"rev-parse": COMMIT, "describe": COMMIT[:7], "log": COMMIT, "show": COMMIT, "branch": "main", "symbolic-ref": "refs/heads/main"},
    **{"status": "", "diff": "", "config": "", "remote": "", "ls-files": "", "rev-list": COMMIT},
}
OF_REV_PARSE = {"--abbrev-ref": "main", "--short": COMMIT[:7], "--git-dir": ".git", "--is-inside-work-tree": "true"}
WITH_VALUES = ("-C", "-c", "--git-dir", "--work-tree")
# Others, with the words after them.
OTHERS = {("stty", "size"): "24 80", ("tput", "cols"): "80", ("tput", "lines"): "24", ("hostname",): "localhost", ("whoami",): "user", ("uname",): "Linux"}
QUERY = re.compile(r"^--query-gpu=(.+)$")
# What ends with this status says nothing: as in a shell that does not find a program.
NOT_FOUND = 127


def install(notes, gpu):
    """`gpu`: its name and bytes, which nvidia-smi is asked for."""

    class Popen(subprocess.Popen):
        def __init__(self, args, *rest, **kwargs):
            said = _said(args, gpu)
            self._is_made = said is not None or bool(kwargs.get("shell"))
            if not self._is_made:
                super().__init__(args, *rest, **kwargs)
                return
            notes.add(f"made-up answers of {_name(args)}" if said is not None else f"nothing from the shell's {_name(args)}")
            is_text = any(kwargs.get(key) for key in ("text", "universal_newlines", "encoding", "errors"))

            def stream(name, text):
                made = io.StringIO(text) if is_text else io.BytesIO(text.encode())
                return made if kwargs.get(name) == subprocess.PIPE else None

            self.args, self.pid, self.stdin, self.returncode = args, 0, None, 0 if said is not None else NOT_FOUND
            self.stdout, self.stderr = stream("stdout", said or ""), stream("stderr", "")

        def communicate(self, *args, **kwargs):
            if not self._is_made:
                return super().communicate(*args, **kwargs)
            return tuple(None if one is None else one.read() for one in (self.stdout, self.stderr))

    subprocess.Popen = Popen


def _words(args):
    try:
        return shlex.split(os.fsdecode(args)) if isinstance(args, (str, bytes, os.PathLike)) else [os.fsdecode(word) for word in args]
    except (TypeError, ValueError):
        return []


def _name(args):
    words = _words(args)
    return os.path.basename(words[0]) if words else "command"


def _said(args, gpu):
    """None: nobody knows, or it changes something."""
    words = _words(args)
    if not words:
        return None
    name, rest = os.path.basename(words[0]), words[1:]
    if name == "git":
        return _of_git(rest)
    if name == "nvidia-smi":
        return _of_nvidia_smi(rest, gpu)
    answer = OTHERS.get((name, *rest), str(os.cpu_count()) if name == "nproc" else None)
    return None if answer is None else f"{answer}\n"


def _of_git(words):
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in WITH_VALUES else words[1:]
    answer = OF_GIT.get(words[0]) if words else None
    if answer is None:
        return None
    if words[0] == "rev-parse":
        known = {**OF_REV_PARSE, "--show-toplevel": os.getcwd()}
        answer = next((known[word] for word in words if word in known), answer)
    return f"{answer}\n" if answer else ""


def _of_nvidia_smi(words, gpu):
    """A table in CSV of one GPU that nobody uses, or the list of them."""
    mib = gpu["bytes"] >> 20
    if words == ["-L"]:
        return f"GPU 0: {gpu['name']} (UUID: GPU-0)\n"
    asked = next((match[1].split(",") for match in map(QUERY.match, words) if match), None)
    if asked is None:
        return None
    unit = "" if any("nounits" in word for word in words) else " MiB"
    known = {"name": gpu["name"], "gpu_name": gpu["name"], "memory.total": f"{mib}{unit}", "memory.free": f"{mib}{unit}", "memory.used": f"0{unit}", "count": "1"}
    rows = [] if any("noheader" in word for word in words) else [", ".join(asked)]
    return "\n".join([*rows, ", ".join(known.get(one.strip(), "0") for one in asked)]) + "\n"
