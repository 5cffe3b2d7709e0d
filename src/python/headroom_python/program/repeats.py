"""Forward passes without gradients that repeat before training: a sampler's thousand steps, a whole evaluation. After the first ones
nothing new is allocated, so the next ones only return tensors of the same shapes."""

import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_flatten, tree_unflatten

TIMES = 3
PLAIN = (bool, int, float, str, torch.dtype, torch.device, type(None))


class Repeats:
    def __init__(self, notes):
        self.notes, self.inside = notes, False
        self.seen = weakref.WeakKeyDictionary()  # module -> {arguments: [times, result]}

    def call(self, really, module, args, kwargs):
        key = None if self.inside or torch.is_grad_enabled() else _key(module, args, kwargs)
        if key is None:
            return really(module, *args, **kwargs)
        seen = self.seen.setdefault(module, {}).setdefault(key, [0, None])
        if seen[0] >= TIMES and seen[1] is not None:
            self.notes.add(f"results by their shapes for passes without gradients that came {TIMES} times before")
            return _made(*seen[1])
        self.inside = True
        try:
            out = really(module, *args, **kwargs)
        finally:
            self.inside = False
        seen[0], seen[1] = seen[0] + 1, _shapes(out)
        return out


def _key(module, args, kwargs):
    """Equal for calls that do the same work; None: values decide, or objects that may change (caches)."""
    leaves, tree = tree_flatten((args, kwargs))
    key, has_tensors = [module.training, torch.is_autocast_enabled(), str(tree)], False
    for x in leaves:
        if type(x) is FakeTensor and x.device.type == "cuda":
            has_tensors = True
            key.append((x.shape, x.stride(), x.dtype))
        elif isinstance(x, PLAIN):
            key.append(x)
        else:
            return None
    return tuple(key) if has_tensors else None


def _shapes(out):
    leaves, tree = tree_flatten(out)
    if not all(type(x) is FakeTensor or isinstance(x, PLAIN) for x in leaves):
        return None
    return [(x.shape, x.stride(), x.dtype, x.device) if type(x) is FakeTensor else (x,) for x in leaves], tree


def _made(leaves, tree):
    def one(shape, *rest):
        return torch.empty_strided(shape, rest[0], dtype=rest[1], device=rest[2]) if rest else shape

    return tree_unflatten([one(*leaf) for leaf in leaves], tree)
