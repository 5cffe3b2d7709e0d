"""Follows every storage on the device from its allocation until its last owner is freed."""

import gc
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .allocator import CachingAllocator
from .kernels import inside, rounded

# Weights, gradients and the like keep their names; all other memory is named after the phase.
DURING = {"load": "temporaries", "forward": "activations", "backward": "temporaries", "optimizer": "temporaries"}


class Tracker(TorchDispatchMode):
    """`vocabulary` and `tokens` identify logits, whose last dimension is the vocabulary."""

    def __init__(self, vocabulary=None, tokens=None, kind="cuda"):
        super().__init__()
        self.kind = kind
        self.live = {}  # storage -> [bytes, category, weak reference]
        self.current = 0
        self.categories = {}
        self.phase, self.default = "load", "temporaries"
        self.peaks, self.at_peak = {}, {}
        self.moments = {}  # phase -> operation and shape -> (bytes, what was alive)
        self.vocabulary, self.tokens = vocabulary, tokens
        self.allocator = CachingAllocator()
        self.operations = 0

    def enter(self, phase, kind):
        if phase == "load":
            gc.collect()
        self.phase, self.default = phase, DURING[kind]
        self._peak(0, "enter")

    def _peak(self, extra, moment):
        bytes_ = self.current + extra
        moments = self.moments.setdefault(self.phase, {})
        before = moments.get(moment)
        if before is None or bytes_ > before[0]:
            alive = dict(self.categories)
            if extra:
                alive["kernels"] = extra
            moments[moment] = (bytes_, alive)
            if bytes_ > self.peaks.get(self.phase, -1):
                self.peaks[self.phase], self.at_peak[self.phase] = bytes_, alive

    def track(self, tensor, category=None):
        if tensor.device.type != self.kind:
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self.live:
            if category:
                self._rename(key, category)
            return
        size = storage.nbytes()
        if size == 0:
            return
        size = rounded(size, 512)
        category = category or (self._is_logits(tensor) and "logits") or self.default
        self.live[key] = [size, category, weakref.ref(storage, lambda _, key=key: self._freed(key))]
        self.current += size
        self.categories[category] = self.categories.get(category, 0) + size
        self.allocator.alloc(key, size)

    def _is_logits(self, tensor):
        if not self.vocabulary or not self.tokens or not tensor.dim() or tensor.shape[-1] != self.vocabulary:
            return False
        return tensor.numel() >= self.vocabulary * self.tokens // 2

    def _rename(self, key, category):
        entry = self.live[key]
        if entry[1] != category:
            self.categories[entry[1]] -= entry[0]
            self.categories[category] = self.categories.get(category, 0) + entry[0]
            entry[1] = category

    def rename(self, tensor, category):
        key = tensor.untyped_storage()._cdata
        if key in self.live:
            self._rename(key, category)

    def _freed(self, key):
        entry = self.live.pop(key, None)
        if entry:
            self.current -= entry[0]
            self.categories[entry[1]] -= entry[0]
            self.allocator.release(key)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.operations += 1
        before = self.current
        extra = inside(func, args)
        if extra:
            self.allocator.alloc("inside", extra)
        shape = None
        for tensor in (out,) if isinstance(out, torch.Tensor) else tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                shape = shape or tuple(tensor.shape)
                self.track(tensor)
        if self.current > before or extra:
            self._peak(extra, (str(func), shape))
        if extra:
            self.allocator.release("inside")
        return out
