"""What git says of the project, made up, since no other program is started: programs note their commit, and some end without it."""

import io
import os
import shlex
import subprocess

COMMIT = "0" * 40
# Commands that only ask, and their answers.
ANSWERS = {
    **{"rev-parse": COMMIT, "describe": COMMIT[:7], "log": COMMIT, "show": COMMIT, "branch": "main", "symbolic-ref": "refs/heads/main"},
    **{"status": "", "diff": "", "config": "", "remote": "", "ls-files": "", "rev-list": COMMIT},
}
OF_REV_PARSE = {"--abbrev-ref": "main", "--short": COMMIT[:7], "--git-dir": ".git", "--is-inside-work-tree": "true"}
WITH_VALUES = ("-C", "-c", "--git-dir", "--work-tree")


def install(notes):
    class Popen(subprocess.Popen):
        def __init__(self, args, *rest, **kwargs):
            said = _said(args)
            self._is_git = said is not None
            if said is None:
                super().__init__(args, *rest, **kwargs)
                return
            notes.add("made-up answers of git")
            is_text = any(kwargs.get(key) for key in ("text", "universal_newlines", "encoding", "errors"))

            def stream(name, text):
                made = io.StringIO(text) if is_text else io.BytesIO(text.encode())
                return made if kwargs.get(name) == subprocess.PIPE else None

            self.args, self.pid, self.returncode, self.stdin = args, 0, 0, None
            self.stdout, self.stderr = stream("stdout", said), stream("stderr", "")

        def communicate(self, *args, **kwargs):
            if not self._is_git:
                return super().communicate(*args, **kwargs)
            return tuple(None if one is None else one.read() for one in (self.stdout, self.stderr))

    subprocess.Popen = Popen


def _said(args):
    """None: it is not git, or git changes something."""
    try:
        words = shlex.split(os.fsdecode(args)) if isinstance(args, (str, bytes, os.PathLike)) else [os.fsdecode(word) for word in args]
    except (TypeError, ValueError):
        return None
    if not words or os.path.basename(words[0]) != "git":
        return None
    words = words[1:]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in WITH_VALUES else words[1:]
    answer = ANSWERS.get(words[0]) if words else None
    if answer is None:
        return None
    if words[0] == "rev-parse":
        known = {**OF_REV_PARSE, "--show-toplevel": os.getcwd()}
        answer = next((known[word] for word in words if word in known), answer)
    return f"{answer}\n" if answer else ""
