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


class Anything(dict):
    """A checkpoint that has whatever is asked of it; loading it changes nothing."""


def install(gate, notes):
    _checkpoints(gate)
    _loading_anything()
    _token_files(notes)
    torch.hub.load_state_dict_from_url = lambda *args, **kwargs: _stand_in(notes)
    when_imported("safetensors", lambda module: _safetensors(gate, module))
    when_imported("safetensors.torch", lambda module: _safetensors_torch(gate, module))
    when_imported("transformers.modeling_utils", lambda module: _transformers(module, notes))
    when_imported("timm.models._builder", lambda module: setattr(module, "load_pretrained", lambda *a, **k: notes.add(WEIGHTS)))
    when_imported("torchvision._internally_replaced_utils", lambda module: setattr(module, "load_state_dict_from_url", lambda *a, **k: _stand_in(notes)))
    when_imported("torchvision.models._api", lambda module: _torchvision_weights(module, notes))
    when_imported("torchvision.datasets", lambda module: _torchvision_data(module, notes))


WEIGHTS = "pretrained weights by their shapes"


def _stand_in(notes):
    notes.add(WEIGHTS)
    return Anything()


def _checkpoints(gate):
    load = torch.load

    def named(f, *args, **kwargs):
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


def _transformers(module, notes):
    """`from_pretrained` needs the model's config only: weights are as its code makes them."""
    Model = module.PreTrainedModel

    def from_pretrained(cls, name=None, *args, config=None, **kwargs):
        from transformers import AutoConfig, PreTrainedConfig

        if kwargs.get("quantization_config") is not None or kwargs.get("load_in_4bit") or kwargs.get("load_in_8bit"):
            raise Refusal("quantized", "its weights are quantized when they are loaded, which a dry run of a program cannot follow yet")
        dtype = kwargs.get("dtype", kwargs.get("torch_dtype", "auto" if _release(module) >= 5 else None))
        if not isinstance(config, PreTrainedConfig):
            try:
                known = {key: kwargs[key] for key in ("trust_remote_code", "revision", "subfolder") if key in kwargs}
                config = AutoConfig.from_pretrained(config or name, **known)
            except Exception as error:
                raise Refusal("config", f"the config.json of {name} is not on this machine") from error
        for key in list(kwargs):
            if hasattr(config, key) and key not in ("dtype", "torch_dtype"):
                setattr(config, key, kwargs[key])
        if dtype == "auto":
            dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None)
        chosen = {} if kwargs.get("attn_implementation") is None else {"attn_implementation": kwargs["attn_implementation"]}
        named = getattr(torch, dtype.split(".")[-1]) if isinstance(dtype, str) else dtype
        model = cls._from_config(config, **chosen, **({} if named is None else {"dtype" if _release(module) >= 5 else "torch_dtype": named}))
        notes.add(WEIGHTS)
        model.eval()
        place = kwargs.get("device_map")
        return model if place in (None, "cpu", "meta") else model.to("cuda")

    Model.from_pretrained = classmethod(from_pretrained)
    Model.save_pretrained = lambda self, *args, **kwargs: None


def _release(module):
    import transformers

    return int(transformers.__version__.split(".")[0])


# Pictures, classes, and rows of training and test of data sets that programs download.
PICTURES = {
    **{name: ((28, 28), 10, 60_000, 10_000) for name in ("MNIST", "FashionMNIST", "KMNIST", "QMNIST")},
    **{"CIFAR10": ((32, 32, 3), 10, 50_000, 10_000), "CIFAR100": ((32, 32, 3), 100, 50_000, 10_000)},
    **{"EMNIST": ((28, 28), 47, 112_800, 18_800), "SVHN": ((32, 32, 3), 10, 73_257, 26_032)},
    **{"STL10": ((96, 96, 3), 10, 5_000, 8_000), "Food101": ((512, 512, 3), 101, 75_750, 25_250)},
    **{"Flowers102": ((500, 500, 3), 102, 1_020, 6_149), "OxfordIIITPet": ((500, 400, 3), 37, 3_680, 3_669)},
    **{"ImageNet": ((375, 500, 3), 1000, 1_281_167, 50_000)},
}


def _torchvision_data(module, notes):
    for name, facts in PICTURES.items():
        if hasattr(module, name):
            setattr(module, name, _or_blank(getattr(module, name), name, facts, notes))


def _or_blank(really, name, facts, notes):
    shape, classes, training, testing = facts

    class Blank(torch.utils.data.Dataset):
        """Black pictures in the size of the data set."""

        def __init__(self, transform, target_transform, trains):
            self.transform, self.target_transform = transform, target_transform
            self.rows = training if trains else testing
            self.classes, self.targets = [str(i) for i in range(classes)], [0] * self.rows

        def __len__(self):
            return self.rows

        def __getitem__(self, index):
            import numpy
            from PIL import Image

            picture, target = Image.fromarray(numpy.zeros(shape, dtype=numpy.uint8)), 0
            if self.transform is not None:
                picture = self.transform(picture)
            return picture, target if self.target_transform is None else self.target_transform(target)

    class Meta(type(really)):
        def __call__(cls, *args, **kwargs):
            try:
                return super().__call__(*args, **kwargs)
            except Exception:
                if cls is not Either:
                    raise
                notes.add(f"black pictures for {name}, which is missing")
                which = [*args[1:2], kwargs.get("train", kwargs.get("split", True))]
                trains = not any(one is False or one in ("test", "val") for one in which)
                return Blank(kwargs.get("transform"), kwargs.get("target_transform"), trains)

    Either = Meta(really.__name__, (really,), {})
    return Either
