"""JSON lines to the parent process."""

import json
import os
import sys
import threading
import traceback


class Refusal(Exception):
    """An impossible request, with a sentence about what to do. `what` is for programs."""

    def __init__(self, what, sentence, **more):
        super().__init__(sentence)
        self.what, self.sentence, self.more = what, sentence, more

    def fields(self):
        return {"what": self.what, "sentence": self.sentence, **self.more}


class Channel:
    """Reserves standard output for answers: all other output goes to stderr."""

    def __init__(self):
        sys.stdout.flush()
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._lock = threading.Lock()

    def say(self, kind, **fields):
        # One line in one write, whatever others write to the same file.
        line = f"\n{json.dumps({'kind': kind, **fields})}\n".encode()
        with self._lock:
            while line:
                line = line[os.write(self._out, line) :]

    def progress(self, text):
        self.say("progress", text=text)

    def failed(self, error, place=None):
        """An unexpected error: its last line, and where it was raised; `place`: the line to name instead."""
        last = traceback.format_exception_only(type(error), error)[-1].strip()
        frames = traceback.extract_tb(error.__traceback__)
        at = frames[-1] if frames else None
        place = place or (f"{os.path.basename(at.filename)}:{at.lineno}" if at else None)
        traceback.print_exception(type(error), error, error.__traceback__)
        self.say("failed", error=last[:400], place=place)
