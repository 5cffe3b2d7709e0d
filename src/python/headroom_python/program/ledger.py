"""What is alive on the GPU that is not there, by purpose and by the line that made it, from allocation to the last owner's end."""

import collections
import os
import sys
import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..allocator import CachingAllocator
from ..kernels import inside, rounded
from ..older import tree_leaves

TORCH = os.path.dirname(torch.__file__) + os.sep
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Standard modules that stand between a line and what it calls.
BETWEEN = ("contextlib.py", "functools.py", "runpy.py", "typing.py", "inspect.py")
# Smaller tensors do not decide a peak, and finding their lines takes longer than running them.
LEAST_FOR_LINE = 1 << 16
CONVOLUTION = torch.ops.aten.convolution.default
NO_LINE = "elsewhere (small tensors)"


class Ledger:
    """`phase` is set by the steps; sizes are rounded as the allocator does it."""

    def __init__(self, folder):
        self.folder = os.path.join(os.path.abspath(folder), "")
        self.live = {}  # storage -> [bytes, category, weak reference, line]
        self.current = self.since_reset = 0
        self.sums, self.lines = collections.Counter(), collections.Counter()
        self.phase, self.default = "load", "temporaries"
        self.peaks, self.at_peak, self.lines_at_peak = {}, {}, {}
        self.allocator = CachingAllocator()
        self.operations = self.muted = 0
        self.convolves = False
        self.assumed_shapes = 0
        self._raised = False
        self._names = {}

    # ---- where in the code
    def line(self):
        frame = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            name = self._names.get(code)
            if name is None:
                name = self._names[code] = self._named(code.co_filename)
            if name:
                return f"{name}:{frame.f_lineno}"
            frame = frame.f_back
        return NO_LINE

    def _named(self, file):
        """The file as a user knows it; empty for torch and for what only passes calls on."""
        if file.startswith(("<", TORCH, OWN)) or os.path.basename(file) in BETWEEN:
            return ""
        if "site-packages" + os.sep in file:
            return file.rsplit("site-packages" + os.sep, 1)[1]
        return file[len(self.folder) :] if file.startswith(self.folder) else file

    # ---- phases and peaks
    def enter(self, phase, default):
        self._settle()
        self.phase, self.default = phase, default
        self._peak(0)

    def _peak(self, extra):
        value = self.current + extra
        self.since_reset = max(self.since_reset, value)
        if value <= self.peaks.get(self.phase, -1):
            return
        self.peaks[self.phase] = value
        self._raised = True
        if extra:
            self._settle(extra)

    def _settle(self, extra=0):
        """Keeps what is alive at a peak, before anything of it is gone."""
        if not self._raised:
            return
        self._raised = False
        alive = {name: size for name, size in self.sums.items() if size}
        lines = {line: size for line, size in self.lines.items() if size}
        if extra:
            alive["kernels"] = extra
        self.at_peak[self.phase], self.lines_at_peak[self.phase] = alive, lines

    # ---- storages
    def track(self, tensor, category=None):
        if not isinstance(tensor, FakeTensor) or tensor.device.type != "cuda":
            return
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self.live:
            if category:
                self.rename(tensor, category)
        elif size:
            self._born(key, size, category or self.default, storage, self.line() if size >= LEAST_FOR_LINE else NO_LINE)

    def _born(self, key, size, category, storage, line):
        size = rounded(size, 512)
        self.live[key] = [size, category, weakref.ref(storage, lambda _: self._freed(key)), line]
        self.current += size
        self.sums[category] += size
        self.lines[line] += size
        self.allocator.alloc(key, size)

    def _freed(self, key):
        entry = self.live.get(key)
        if entry:
            self._settle()
            del self.live[key]
            self.current -= entry[0]
            self.sums[entry[1]] -= entry[0]
            self.lines[entry[3]] -= entry[0]
            self.allocator.release(key)

    def resized(self, storage):
        """Sharded modules give memory back by resizing a storage that they keep."""
        key, size = storage._cdata, storage.nbytes()
        entry = self.live.get(key)
        if entry:
            self._freed(key)
            storage._headroom_kept = (entry[1], entry[3])
            if size:
                self._born(key, size, entry[1], storage, entry[3])
        elif size and hasattr(storage, "_headroom_kept"):
            category, line = storage._headroom_kept
            self._born(key, size, category, storage, line)
        self._peak(0)

    def rename(self, tensor, category):
        tensor = getattr(tensor, "_local_tensor", tensor)  # of a sharded one
        if not isinstance(tensor, FakeTensor):
            for name in tensor.__tensor_flatten__()[0] if hasattr(tensor, "__tensor_flatten__") else ():
                self.rename(getattr(tensor, name), category)  # quantized weights are several tensors
            return
        entry = self.live.get(tensor.untyped_storage()._cdata)
        if entry and entry[1] != category:
            self.sums[entry[1]] -= entry[0]
            self.sums[category] += entry[0]
            entry[1] = category

    def saw(self, func, args, out):
        if self.muted:
            return
        before = self.current
        self.operations += 1
        self.convolves = self.convolves or func is CONVOLUTION
        extra = inside(func, args)
        if extra:
            self.allocator.alloc("inside", extra)
        for tensor in (out,) if isinstance(out, torch.Tensor) else tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                self.track(tensor)
        if self.current > before or extra:
            self._peak(extra)
        if extra:
            self.allocator.release("inside")

    def told(self):
        self._settle()
        return {
            "phases": dict(self.peaks),
            "alive": {phase: dict(alive) for phase, alive in self.at_peak.items()},
            "lines": {
                phase: [{"line": line, "bytes": size} for line, size in collections.Counter(lines).most_common(12)]
                for phase, lines in self.lines_at_peak.items()
            },
            "reserved": self.allocator.peak,
            "operations": self.operations,
            "convolves": self.convolves,
        }
