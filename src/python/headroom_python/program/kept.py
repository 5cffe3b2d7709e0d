"""Values of the program's own batches: tokens, labels and masks are known, and so is what follows from them alone.

They decide shapes (rows under a mask, tokens without padding), which would otherwise be taken as the largest."""

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_map

from ..older import tree_leaves

aten = torch.ops.aten
# Of a batch: 64 rows of 16,384 tokens.
MOST = 1 << 20
MOST_ROWS = 1 << 12
MADE = ("arange", "zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full")


def no_modes():
    return torch.utils._python_dispatch._disable_current_modes()


def of(tensor):
    """Its values on the CPU; None: nobody knows them."""
    real = getattr(tensor, "_headroom_kept", None)
    return None if real is None or getattr(real.untyped_storage(), "_headroom_lost", False) else real


def follow(func, given, kwargs, out):
    """`given`, `kwargs`: the arguments before their data were dropped."""
    if func._schema.is_mutable:
        changed = _changed(func, given)
        if changed and not _computed(func, given, kwargs, out):
            _lose(changed)
    else:
        _computed(func, given, kwargs, out)


def _computed(func, given, kwargs, out):
    """Computes on the CPU what follows from known values; False: something is unknown."""
    outs = out if isinstance(out, (list, tuple)) else (out,)
    if not all(type(one) is FakeTensor and _is_small(one) for one in outs) or not _is_followed(func, given, outs):
        return False
    real = tree_map(_real, (given, kwargs))
    if any(x is MISSING for x in tree_leaves(real)):
        return False
    try:
        with no_modes():
            made = func(*real[0], **{key: value for key, value in real[1].items() if key not in ("device", "pin_memory")})
    except Exception:
        return False
    for one, value in zip(outs, made if isinstance(made, (list, tuple)) else (made,)):
        if value.shape == one.shape and value.dtype == one.dtype:
            one._headroom_kept = value
    return True


def decides(func, args):
    """Whether everything that decides the shape of a result is known."""
    tensors = [x for x in tree_leaves(args) if isinstance(x, FakeTensor)]
    if func.overloadpacket.__name__ in ("index", "masked_select"):
        tensors = [x for x in tensors[1:] if not x.dtype.is_floating_point]
    return bool(tensors) and all(of(x) is not None for x in tensors)


MISSING = object()


def _real(x):
    if isinstance(x, FakeTensor):
        real = of(x)
        return MISSING if real is None else real
    if isinstance(x, torch.Tensor):
        return x if type(x) is torch.Tensor and _is_small(x) else MISSING
    return x


def _is_small(tensor):
    return tensor.numel() <= MOST and not tensor.requires_grad


def _is_followed(func, given, outs):
    name, tensors = func.overloadpacket.__name__, [x for x in tree_leaves(given) if isinstance(x, torch.Tensor)]
    if torch.Tag.nondeterministic_seeded in func.tags:
        return False
    if not tensors or name in MADE:
        return name in MADE and not any(one.dtype.is_floating_point for one in outs)
    # Fractions are known where they follow from tokens and masks, or are one for each row: lengths, as shares of the longest.
    return all(of(x) is not None or not x.dtype.is_floating_point or (x.dim() <= 1 and x.numel() <= MOST_ROWS) for x in tensors)


def _changed(func, args):
    """The tensors that an operation writes to."""
    pairs = zip(func._schema.arguments, args)
    return [x for argument, x in pairs if argument.alias_info is not None and argument.alias_info.is_write and isinstance(x, FakeTensor)]


def _lose(tensors):
    """Also for their views, which have the same storage."""
    for tensor in tensors:
        real = getattr(tensor, "_headroom_kept", None)
        if real is not None:
            real.untyped_storage()._headroom_lost = True
