"""Embeds a part on a machine without Node.js: turns copied texts into shards as `headroom embed --shard` writes them.

The same files, checkpoints and manifest (docs/embed.md): the journal has a checksum for each batch after its vectors, an
interrupted part resumes where it stopped, and the result is merged and verified with all others.
"""

import hashlib
import itertools
import json
import os
import signal
import sys
import time
import zlib

from .embed import device_of, dimensions_of, finished, is_memory, loaded, readable, Sizes
from .environment import need
from .protocol import Refusal

HEADER_BYTES = 256
WINDOW_ROWS = 4096
PROGRESS_S = 1


def embed_part(request, channel):
    found = need(["sentence-transformers"])
    import torch

    device, why = device_of(request["device"], torch)
    os.makedirs(request["out"], exist_ok=True)
    with _Alone(request["out"]):
        manifest = _begun(request)
        if manifest["state"] == "complete":
            return
        model = loaded(request, device)
        dimensions_of(model, request)
        print(f"{manifest['rows']} texts with {manifest['model']['name']} on {why}", file=sys.stderr)
        manifest["versions"] = found
        _Part(request, manifest, model, torch, device).run()


class _Alone:
    """A lock for the one process that writes into a folder; the system releases it when the process ends in any way."""

    def __init__(self, folder):
        self._path = os.path.join(folder, "lock.json")

    def __enter__(self):
        import fcntl

        self._file = open(self._path, "a", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Refusal("busy", f"{self._path}: another process writes into this folder; wait for it, or stop it") from error

    def __exit__(self, *_):
        os.unlink(self._path)
        self._file.close()


def _begun(request):
    """The manifest of an earlier process with the same order, else a new one."""
    path = os.path.join(request["out"], "manifest.json")
    new = request["manifest"]
    if not os.path.exists(path):
        _replace(path, json.dumps(new, indent=2, ensure_ascii=False) + "\n")
        return dict(new)
    with open(path, encoding="utf-8") as file:
        old = json.load(file)
    if any(old[name] != new[name] for name in ("model", "input", "part", "firstRow", "rows", "rowsPerShard")):
        raise Refusal("changed", f"{request['out']}: it was begun with another model, other settings or another input")
    return old


class _Part:
    def __init__(self, request, manifest, model, torch, device):
        self._request, self._manifest, self._model, self._torch = request, manifest, model, torch
        self._sizes = Sizes(model, request)
        self._budget = request["batchTokens"] or (512 if device == "cpu" else 8192)
        self._most_rows = request["batchRows"] or sys.maxsize
        self._began, self._told = time.monotonic(), 0.0
        self._rows = self._tokens = 0
        self._before = sum(shard["rows"] for shard in manifest["shards"])
        self._stopped = False
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)

    def _stop(self, *_):
        self._stopped = True

    def run(self):
        manifest, each = self._manifest, self._manifest["rowsPerShard"]
        first, end = manifest["firstRow"], manifest["firstRow"] + manifest["rows"]
        with open(self._request["texts"], encoding="utf-8") as file:
            lines = itertools.islice(file, first, None)
            for index, at in enumerate(range(first, end, each)):
                rows = [json.loads(line) for line in itertools.islice(lines, min(each, end - at))]
                if any(shard["firstRow"] == at for shard in manifest["shards"]):
                    continue
                self._shard(index, at, rows)
        manifest["state"] = "complete"
        self._keep()
        self._tell(True)

    def _keep(self):
        path = os.path.join(self._request["out"], "manifest.json")
        _replace(path, json.dumps(self._manifest, indent=2, ensure_ascii=False) + "\n")

    def _shard(self, index, at, rows):
        shard = _Shard(self._request["out"], index, at, len(rows))
        self._before += sum(shard.done)
        for first in range(0, len(rows), WINDOW_ROWS):
            places = [place for place in range(first, min(first + WINDOW_ROWS, len(rows))) if not shard.done[place]]
            self._window(shard, places, rows)
        self._manifest["shards"].append(shard.finish(rows))
        self._manifest["dimensions"] = shard.dimensions
        self._keep()
        shard.clean()

    def _window(self, shard, places, rows):
        if not places:
            return
        sizes = self._sizes.of([rows[place]["text"] for place in places])
        facts = dict(zip(places, zip(sizes["tokens"], sizes["cut"])))
        left = sorted(places, key=lambda place: (-facts[place][0], place))
        while left:
            count = max(1, min(self._most_rows, self._budget // max(1, facts[left[0]][0])))
            batch, vectors = self._vectors(left[:count], rows)
            left = left[len(batch) :]
            tokens = [facts[place][0] for place in batch]
            empty = sum(1 for count in tokens if count <= sizes["bare"])
            shard.write(batch, vectors, sum(tokens), empty, sum(1 for place in batch if facts[place][1]))
            self._rows += len(batch)
            self._tokens += sum(tokens)
            self._tell(False)
            if self._stopped:
                shard.sync()
                sys.exit(2)

    def _vectors(self, batch, rows):
        """Halves the batch until it fits into memory."""
        while True:
            texts = [readable(rows[place]["text"]) for place in batch]
            try:
                raw = self._model.encode(
                    texts,
                    prompt=self._request["prompt"],
                    batch_size=len(texts),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                    normalize_embeddings=False,
                )
                return batch, finished(raw, self._request)
            except Exception as error:
                if not is_memory(error, self._torch) or len(batch) == 1:
                    raise
                if self._torch.cuda.is_available():
                    self._torch.cuda.empty_cache()
                self._budget = max(1, self._budget // 2)
                batch = batch[: (len(batch) + 1) // 2]

    def _tell(self, is_last):
        now = time.monotonic()
        if not is_last and now - self._told < PROGRESS_S:
            return
        self._told = now
        elapsed = now - self._began
        rate = self._rows / elapsed if elapsed > 0 else 0
        total, rows = self._manifest["rows"], self._before + self._rows
        index, of = self._manifest["part"]["index"], self._manifest["part"]["of"]
        line = {
            "event": "embed-progress",
            **({"part": index + 1, "parts": of} if of > 1 else {}),
            "rows": rows,
            "rowsTotal": total,
            "tokens": self._tokens,
            "rowsPerS": round(rate, 1),
            "tokensPerS": round(self._tokens / elapsed, 1) if elapsed > 0 else 0,
            "elapsedS": round(elapsed, 1),
            "etaS": round((total - rows) / rate, 1) if rate > 0 else None,
            "shards": len(self._manifest["shards"]),
        }
        print(json.dumps(line), file=sys.stderr, flush=True)


class _Shard:
    """A file of vectors while it is written; a line of its journal counts only if its vectors were written."""

    def __init__(self, folder, index, first_row, rows):
        self._folder, self._first_row, self._rows = folder, first_row, rows
        self._name = f"shard-{index:05d}"
        self._base = os.path.join(folder, self._name)
        self.done = bytearray(rows)
        self.dimensions = None
        self._entries = []
        self._data = self._journal = None
        self._restore()

    def write(self, places, vectors, tokens, empty, cut):
        if self._data is None:
            self._begin(vectors.shape[1])
        for row, place in enumerate(places):
            self._data.seek(self._at(place))
            self._data.write(vectors[row].tobytes())
        self._data.flush()
        entry = {"rows": list(places), "crc": zlib.crc32(vectors.tobytes()), "tokens": tokens, "empty": empty, "cut": cut}
        self._journal.write(json.dumps(entry, separators=(",", ":")) + "\n")
        self._mark(entry)
        self.sync()

    def sync(self):
        for file in (self._data, self._journal):
            file.flush()
            os.fsync(file.fileno())

    def finish(self, rows):
        self._data.seek(0)
        self._data.write(_header(self._rows, self.dimensions))
        self._data.truncate(self._at(self._rows))
        self.sync()
        self._data.close()
        self._journal.close()
        path = f"{self._base}.npy"
        os.replace(f"{self._base}.part", path)
        ids = None
        if rows[0]["id"] is not None:
            text = "".join(f"{_quoted(row['id'])}\n" for row in rows)
            _replace(f"{self._base}.ids.jsonl", text)
            ids = {"file": f"{self._name}.ids.jsonl", "sha256": hashlib.sha256(text.encode()).hexdigest()}
        return {
            "file": f"{self._name}.npy",
            "firstRow": self._first_row,
            "rows": self._rows,
            "bytes": os.path.getsize(path),
            "sha256": _digest(path),
            "ids": ids,
            "textsSha256": _texts_digest(rows),
            **{name: sum(entry[name] for entry in self._entries) for name in ("tokens", "empty", "cut")},
        }

    def clean(self):
        if os.path.exists(f"{self._base}.journal"):
            os.unlink(f"{self._base}.journal")

    def _at(self, place):
        return HEADER_BYTES + place * self.dimensions * 4

    def _begin(self, dimensions):
        self.dimensions = dimensions
        self._data = open(f"{self._base}.part", "w+b")
        self._journal = open(f"{self._base}.journal", "w", encoding="utf-8")
        self._journal.write(json.dumps({"firstRow": self._first_row, "dimensions": dimensions}) + "\n")

    def _mark(self, entry):
        self._entries.append(entry)
        for place in entry["rows"]:
            self.done[place] = 1

    def _restore(self):
        head, entries = _journal(f"{self._base}.journal")
        if head is None or head.get("firstRow") != self._first_row:
            return
        # The process ended after its last step, before it wrote the manifest.
        if not os.path.exists(f"{self._base}.part") and os.path.exists(f"{self._base}.npy"):
            os.replace(f"{self._base}.npy", f"{self._base}.part")
        if not os.path.exists(f"{self._base}.part"):
            return
        self.dimensions = head["dimensions"]
        self._data = open(f"{self._base}.part", "r+b")
        for entry in entries:
            if self._is_there(entry):
                self._mark(entry)
        lines = [json.dumps(line, separators=(",", ":")) for line in (head, *self._entries)]
        _replace(f"{self._base}.journal", "\n".join(lines) + "\n")
        self._journal = open(f"{self._base}.journal", "a", encoding="utf-8")

    def _is_there(self, entry):
        crc, size = 0, self.dimensions * 4
        for place in entry["rows"]:
            if place >= self._rows or self.done[place]:
                return False
            self._data.seek(self._at(place))
            piece = self._data.read(size)
            if len(piece) < size:
                return False
            crc = zlib.crc32(piece, crc)
        return crc == entry["crc"]


def _journal(path):
    """The first line and all other complete ones: the last may be half written."""
    if not os.path.exists(path):
        return None, []
    with open(path, encoding="utf-8", errors="replace") as file:
        values = [_parsed(line) for line in file]
    whole = [value for value in values if isinstance(value, dict)]
    head = whole[0] if whole and "dimensions" in whole[0] else None
    return head, [value for value in whole if "crc" in value]


def _parsed(line):
    try:
        return json.loads(line)
    except ValueError:
        return None


def _header(rows, dimensions):
    """Writes the NumPy header, version 1.0, into the reserved space."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dimensions}), }}"
    return b"\x93NUMPY\x01\x00" + (HEADER_BYTES - 10).to_bytes(2, "little") + text.ljust(HEADER_BYTES - 11).encode("latin-1") + b"\n"


def _quoted(text):
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if readable(quoted) == quoted else json.dumps(text)


def _texts_digest(rows):
    digest = hashlib.sha256()
    for row in rows:
        text = readable(row["text"]).encode()
        digest.update(b"%d\n%s\n" % (len(text), text))
    return digest.hexdigest()


def _digest(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _replace(path, text):
    """Writes a file atomically, safe against a power failure."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
