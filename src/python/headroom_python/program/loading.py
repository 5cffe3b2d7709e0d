"""Weights and data that are not on this machine: their shapes decide, so stand-ins have those and nothing else."""

import json
import os
import struct

import torch

from ..protocol import Refusal
from .imported import when_imported

# Smaller files of tensors are read: they may be data.
SMALL = 32 << 20
# Tokens of a missing file of tokens: more than any context.
STAND_IN_TOKENS = 1 << 26


# What a checkpoint says in numbers.
COUNTS = ("epoch", "step", "iter", "iteration", "global_step", "best_acc", "acc", "best_loss", "loss", "start_epoch")


class Anything(dict):
    """A checkpoint that has whatever is asked of it; loading it changes nothing."""

    def __init__(self, name="a checkpoint"):
        super().__init__()
        self.name = name

    def __missing__(self, key):
        return 0 if str(key) in COUNTS else Anything(self.name)

    def __getattr__(self, name):
        raise AttributeError(f"{self.__dict__.get('name')} is missing, and the program needs more of it than a checkpoint has")

    def __contains__(self, key):
        return False


def install(gate, notes):
    _checkpoints(gate, notes)
    _loading_anything()
    _token_files(notes)
    torch.hub.load_state_dict_from_url = lambda *args, **kwargs: _stand_in(notes)
    when_imported("safetensors", lambda module: _safetensors(gate, module))
    when_imported("safetensors.torch", lambda module: _safetensors_torch(gate, module))
    when_imported("timm.models._builder", lambda module: setattr(module, "load_pretrained", lambda *a, **k: notes.add(WEIGHTS)))
    when_imported("torchvision._internally_replaced_utils", lambda module: setattr(module, "load_state_dict_from_url", lambda *a, **k: _stand_in(notes)))
    when_imported("torchvision.models._api", lambda module: _torchvision_weights(module, notes))


    for module, name in (("fvcore.common.checkpoint", "Checkpointer"), ("detectron2.checkpoint.detection_checkpoint", "DetectionCheckpointer")):
        when_imported(module, lambda found, name=name: _checkpointer(getattr(found, name), notes))


WEIGHTS = "pretrained weights by their shapes"


def _stand_in(notes):
    notes.add(WEIGHTS)
    return Anything()


def _checkpoints(gate, notes):
    load = torch.load

    def named(f, *args, **kwargs):
        if isinstance(f, (str, os.PathLike)) and (not os.path.exists(f) or os.path.getsize(f) == 0):
            notes.add(f"nothing for the checkpoint {os.path.basename(f)}, which is missing")
            return Anything(os.path.basename(f))
        if isinstance(f, (str, os.PathLike)) and os.path.exists(f) and os.path.getsize(f) > SMALL:
            kwargs.pop("mmap", None)
            with gate.fake:
                return load(f, *args, **kwargs)
        return load(f, *args, **kwargs)

    torch.load = named


def _loading_anything():
    load = torch.nn.Module.load_state_dict

    def loaded(self, state_dict, *args, **kwargs):
        if isinstance(state_dict, Anything):
            return torch.nn.modules.module._IncompatibleKeys([], [])
        return load(self, state_dict, *args, **kwargs)

    torch.nn.Module.load_state_dict = loaded
    states = torch.optim.Optimizer.load_state_dict
    torch.optim.Optimizer.load_state_dict = lambda self, given: None if isinstance(given, Anything) else states(self, given)


def _checkpointer(Checkpointer, notes):
    """Checkpoints with an address, which fvcore downloads."""
    really = Checkpointer.load

    def load(self, path, *args, **kwargs):
        try:
            return really(self, path, *args, **kwargs)
        except OSError:
            notes.add(WEIGHTS)
            return {}

    Checkpointer.load = load


def _torchvision_weights(module, notes):
    module.WeightsEnum.get_state_dict = lambda self, *args, **kwargs: _stand_in(notes)


def _token_files(notes):
    """A missing file of numbers (train.bin) is one of zeros, which reads as tokens."""
    import numpy

    class Missing(numpy.memmap):
        def __new__(cls, filename, dtype=numpy.uint8, mode="r+", offset=0, shape=None, order="C"):
            is_missing = mode in ("r", "c") and isinstance(filename, (str, os.PathLike)) and not os.path.exists(filename)
            if not is_missing:
                return super().__new__(cls, filename, dtype, mode, offset, shape, order)
            notes.add(f"zeros for {os.path.basename(filename)}, which is missing")
            return numpy.zeros(shape or STAND_IN_TOKENS, dtype=dtype)

    numpy.memmap = Missing


def _header(filename):
    with open(filename, "rb") as file:
        return json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))


DTYPES = {
    **{"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64},
    **{"I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool},
    **{"F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2},
}


def _opened(gate):
    class Open:
        """A safetensors file of which only the header is read."""

        def __init__(self, filename, framework="pt", device="cpu", **_):
            self.header = _header(filename)
            self.about, self.device = self.header.pop("__metadata__", None), device

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def keys(self):
            return list(self.header)

        offset_keys = keys

        def metadata(self):
            return self.about

        def get_tensor(self, name):
            one = self.header[name]
            device = f"cuda:{self.device}" if isinstance(self.device, int) else str(self.device)
            with gate.fake:
                made = torch.empty(one["shape"], dtype=DTYPES[one["dtype"]], device=device)
            gate.ledger.track(made)
            return made

        def get_slice(self, name):
            made = self.get_tensor(name)
            made.get_shape, made.get_dtype = lambda: list(made.shape), lambda: self.header[name]["dtype"]
            return made

    return Open


def _safetensors(gate, module):
    module.safe_open = _opened(gate)


def _safetensors_torch(gate, module):
    Open = _opened(gate)

    def load_file(filename, device="cpu"):
        opened = Open(filename, device=device)
        return {name: opened.get_tensor(name) for name in opened.keys()}

    module.safe_open, module.load_file = Open, load_file
