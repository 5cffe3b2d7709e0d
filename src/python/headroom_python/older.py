"""What releases of torch before 2.4 name in another way."""

from abc import ABC

import torch
from torch.utils._pytree import tree_flatten


def tree_leaves(tree):  # torch.utils._pytree has one since 2.2
    return tree_flatten(tree)[0]


def is_compiling():
    return torch.compiler.is_compiling() if hasattr(torch.compiler, "is_compiling") else torch._dynamo.is_compiling()


def autocast_dtype():
    """The type that autocast computes with on CUDA; None: it is off."""
    if hasattr(torch, "get_autocast_dtype"):
        return torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else None
    return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None


def grad_scaler():
    try:
        from torch.amp.grad_scaler import GradScaler
    except ImportError:
        from torch.cuda.amp.grad_scaler import GradScaler
    return GradScaler


def demanded_base(name):
    """The abstract class that dynamo demands of streams or events in torch 2.2 and 2.3; nothing before and after."""
    try:
        from torch import _streambase
    except ImportError:
        return object
    base = getattr(_streambase, name)
    return base if base.__bases__ == (ABC,) else object
