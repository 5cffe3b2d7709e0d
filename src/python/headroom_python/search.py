"""Finds the largest batch that runs in few tries. Each try has its own process, so that its memory is freed; this one does not
load torch."""

import json
import os
import subprocess
import sys
import threading
import time

from .alone import is_first, variables_alone
from .protocol import Refusal

MOST_ROWS = 65_536


def search(request, channel):
    """Reports each try as it ends, then the result. `request["try"]` is the request of one try."""
    if not is_first():
        return
    tries = Tries(request, channel)
    found = largest(tries.attempt, request["trials"], (request["try"].get("estimate") or {}).get("rowBytes"), request.get("most") or MOST_ROWS)
    channel.say("found", allowed=tries.allowed, **found)


def largest(attempt, trials, row_bytes=None, most=MOST_ROWS):
    """`attempt(rows)` returns (rows, bytes or None if it ran out, allowed bytes); the first is called with None and chooses its
    rows itself. Memory is linear in the rows: two successful tries predict the next one, a failed one bounds it, and rows
    beyond the predicted limit are not tried."""
    ran, failed, tried = {}, [], []
    following, allowed = None, 0
    while len(tried) < trials and (following is not None or not tried):
        rows, bytes_, allowed = attempt(following)
        tried.append({"rows": rows, "bytes": bytes_})
        if bytes_ is not None and bytes_ <= allowed:
            ran[rows] = bytes_
        else:
            failed.append(rows)
        following = next_rows(ran, failed, allowed, row_bytes, most)
    best = max(ran, default=None)
    bound = min([most + 1, *failed])
    line = along_line(ran, allowed)
    certain = bound == (best or 0) + 1 or (line is not None and line <= (best or 0))
    return {"rows": best, "certain": certain, "tried": tried}


def next_rows(ran, failed, allowed, row_bytes, most):
    low, high = max(ran, default=0), min([most + 1, *failed])
    if high - low <= 1:
        return None
    if low == 0:
        return high // 2
    if len(ran) == 1:
        return second(low, high, allowed - ran[low], row_bytes)
    guess = along_line(ran, allowed)
    if guess is None:
        # More rows took no more memory: the growing part is not the peak yet.
        return between(low, high) if failed else min(4 * low, high - 1)
    if guess <= low:
        return None
    # A nearly flat line extrapolates too far.
    guess = min(guess, 8 * low)
    if guess < high or (guess == high and high <= 2 * low):
        return min(guess, high - 1)
    # A failure below the line: another phase has the peak there, or the allocator's steps are coarse.
    return between(low, high) if failed else high - 1


def second(low, high, room, row_bytes):
    """After one success, the slope of the estimate predicts the second try; else a try that surely runs gives a line."""
    further = low + int(room / row_bytes) if row_bytes else low
    if further > low:
        return further if further < high else between(low, high)
    return -(-low // 2) if low > 1 else 2


def between(low, high):
    """The middle; the geometric one if they are far apart."""
    return (low + high) // 2 if high < 4 * low else int((low * high) ** 0.5)


def along_line(ran, allowed):
    """The rows at which the line through the two largest successful tries reaches the allowed bytes."""
    if len(ran) < 2:
        return None
    before, last = sorted(ran)[-2:]
    slope = (ran[last] - ran[before]) / (last - before)
    # Rounding must not lose a number of rows that fits exactly.
    return int(last + (allowed - ran[last]) / slope + 1e-6) if slope > 0 else None


class Tries:
    """Starts one try after the other, and ends with its parent."""

    def __init__(self, request, channel):
        self.request, self.channel = request, channel
        self.allowed = 0
        self.leaving = threading.Event()

    def attempt(self, rows):
        told = self._ended({**self.request["try"], "rows": rows})
        self.channel.say("try", **told)
        self.allowed = told["allowed"]
        return told["rows"], told["reserved"] if told["ran"] else None, told["allowed"]

    def _ended(self, asked):
        command = self.request.get("program") or [sys.executable, self.request["script"]]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables_alone())
        why = []
        watch = threading.Thread(target=self._watch, args=(child, why), daemon=True)
        watch.start()
        try:
            # Its standard input stays open: when this process ends, the other end closes, and the try ends.
            child.stdin.write(json.dumps(asked).encode() + b"\n")
            child.stdin.flush()
            return self._result(child, why)
        except BrokenPipeError as error:
            raise Refusal("try", f"{command[0]} ended before it began") from error
        finally:
            child.kill()
            child.wait()
            if self.leaving.is_set():
                # The other thread ends this process and reports it: the end of the try is no result then.
                threading.Event().wait()

    def _result(self, child, why):
        result = None
        for line in child.stdout:
            answer = parsed(line)
            kind = answer.pop("kind", None)
            if kind == "result":
                result = answer
            elif kind == "progress":
                self.channel.progress(answer["text"])
            elif kind == "refused":
                raise Refusal(answer.pop("what"), answer.pop("sentence"), **answer)
            elif kind == "failed":
                raise Refusal("failed", f"the run's own code failed: {answer['error']}{' (' + answer['place'] + ')' if answer.get('place') else ''}")
        code = child.wait()
        if result is None:
            raise Refusal("try", why[0] if why else ended_words(code))
        return result

    def _watch(self, child, why):
        end = time.monotonic() + self.request["timeoutSeconds"]
        while child.poll() is None:
            if time.monotonic() > end:
                why.append(f"a try took longer than {self.request['timeoutSeconds']} s and was ended")
                child.kill()
            elif not is_there(self.request.get("client")):
                # The parent is gone: end what it requested.
                self.leaving.set()
                child.kill()
                self._leave()
            time.sleep(0.2)

    def _leave(self):
        import shutil

        folder = self.request.get("folder")
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(3)


def ended_words(code, what="a try"):
    if code < 0:
        return f"{what} was killed from outside (signal {-code}): by another process, or because host RAM ran out"
    return f"{what} ended without an answer (exit code {code})"


def parsed(line):
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def is_there(pid):
    # Windows has no equivalent.
    if pid is None or os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
