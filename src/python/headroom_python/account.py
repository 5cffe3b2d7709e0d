"""What a probe measures in two real steps: the device's peaks per phase, and the parts of them that are known by name."""

import weakref

from .kernels import rounded

# Everything except the tensors that are known by name.
REST = {"load": "temporaries", "forward": "activations", "backward": "activations", "optimizer": "temporaries"}


class Account:
    """Has the interface of a tracker for `steps`. Weights, gradients, states and inputs are counted by their storages; the rest
    of a peak is named after its phase, because torch's allocator does not show more."""

    def __init__(self, device):
        self.device = device
        self.named = {}  # storage -> [bytes, category, weak reference]
        self.sums = {}
        self.phase, self.kind = "load", "load"
        self.peaks, self.alive = {}, {}
        self.most = [0, 0]  # allocated, reserved
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def track(self, tensor, category):
        self.rename(tensor, category)

    def rename(self, tensor, category):
        self._look()
        storage = tensor.untyped_storage()
        if tensor.device.type != self.device.kind or storage.nbytes() == 0:
            return
        key = storage._cdata
        if key in self.named:
            self._freed(key)
        size = rounded(storage.nbytes(), 512)
        self.named[key] = [size, category, weakref.ref(storage, lambda _, key=key: self._freed(key))]
        self.sums[category] = self.sums.get(category, 0) + size
        if self.kind == "optimizer":
            # Optimizer states exist at the peak of a step, but are only known after it.
            alive = self.alive.setdefault(self.phase, {})
            alive[category] = max(alive.get(category, 0), self.sums[category])

    def _freed(self, key):
        entry = self.named.pop(key, None)
        if entry:
            self.sums[entry[1]] -= entry[0]

    def _look(self):
        """Assigns a peak that rose since the last call to what was alive then."""
        allocated, reserved = self.device.peaks()
        self.most = [max(self.most[0], allocated), max(self.most[1], reserved)]
        if allocated > self.seen:
            self.seen = allocated
            if allocated > self.peaks.get(self.phase, -1):
                self.peaks[self.phase] = allocated
                self.alive[self.phase] = {name: size for name, size in self.sums.items() if size}

    def enter(self, phase, kind):
        self.close()
        self.device.begin()
        self.phase, self.kind, self.seen = phase, kind, 0

    def close(self):
        self.device.wait()
        self._look()

    def told(self):
        """Bytes by phase, and by category at the peak of each phase."""
        alive = {phase: self._with_rest(phase, bytes_) for phase, bytes_ in self.peaks.items()}
        return {"phases": dict(self.peaks), "alive": alive, "allocated": self.most[0], "reserved": self.most[1]}

    def _with_rest(self, phase, bytes_):
        alive = dict(self.alive.get(phase, {}))
        rest = REST[phase.split(" ")[0]]
        alive[rest] = alive.get(rest, 0) + max(0, bytes_ - sum(alive.values()))
        return alive
