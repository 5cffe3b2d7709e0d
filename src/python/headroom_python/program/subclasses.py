"""Frozen weights that are several tensors (quantized ones), taken apart for a trace and put together in it."""

import torch
from torch._subclasses.fake_tensor import FakeTensor


class Parts:
    """How one comes together again; its pieces follow."""

    def __init__(self, tensor):
        self.kind, (self.names, self.about) = type(tensor), tensor.__tensor_flatten__()
        self.size, self.stride = tensor.size(), tensor.stride()

    def __repr__(self):
        return f"{self.kind} {self.names} {self.size} {self.about}"


def apart(x):
    is_parts = isinstance(x, torch.Tensor) and not isinstance(x, FakeTensor) and hasattr(x, "__tensor_flatten__")
    if not is_parts or x.requires_grad:
        yield x
        return
    parts = Parts(x)
    yield parts
    for name in parts.names:
        yield from apart(getattr(x, name))


def together(leaves):
    left, out = list(reversed(leaves)), []

    def one():
        x = left.pop()
        if not isinstance(x, Parts):
            return x
        inner = {name: one() for name in x.names}
        return x.kind.__tensor_unflatten__(inner, x.about, x.size, x.stride)

    while left:
        out.append(one())
    return out
