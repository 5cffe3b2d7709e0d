"""Optimizers by their names in the memory model."""

import torch

from .protocol import Refusal
from .quantised import Bitsandbytes

# torch does not choose `foreach` for fake parameters as it does on CUDA, so it is set here.
MAKERS = {
    "adamw_foreach": lambda p: torch.optim.AdamW(p, lr=1e-5, foreach=True),
    "adamw_fused": lambda p: torch.optim.AdamW(p, lr=1e-5, fused=True),
    "adamw_loop": lambda p: torch.optim.AdamW(p, lr=1e-5, foreach=False),
    "adam": lambda p: torch.optim.Adam(p, lr=1e-5, foreach=True),
    "adamw8bit": Bitsandbytes,
    "paged_adamw8bit": lambda p: Bitsandbytes(p, paged=True),
    "paged_adamw32bit": lambda p: Bitsandbytes(p, bits=32, paged=True),
    "lion8bit": lambda p: Bitsandbytes(p, states=1),
    "lion32bit": lambda p: Bitsandbytes(p, bits=32, states=1),
    "paged_lion8bit": lambda p: Bitsandbytes(p, states=1, paged=True),
    "paged_lion32bit": lambda p: Bitsandbytes(p, bits=32, states=1, paged=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=1e-5, foreach=True),
    "sgd_momentum": lambda p: torch.optim.SGD(p, lr=1e-5, momentum=0.9, foreach=True),
    "adafactor": lambda p: _transformers_adafactor(p),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-5, foreach=True),
}


def _transformers_adafactor(parameters):
    from transformers import Adafactor

    return Adafactor(parameters, lr=1e-5, relative_step=False, scale_parameter=False)


def make_optimizer(name, parameters):
    trained = [p for p in parameters if p.requires_grad]
    if name == "none":
        return None
    if name not in MAKERS:
        raise Refusal("optimizer", f"a dry run does not know the optimizer {name}")
    return MAKERS[name](trained)
