"""What lies on the GPU has no data, what lies on the CPU is real.

Every operation passes the gate. One that names CUDA, or that has a tensor without data among its arguments, runs without data;
a data loader, a tokenizer or a schedule on the CPU runs for real. Parameters have no data wherever they lie."""

import collections
import math
import sys

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedOperatorException,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from ..older import tree_leaves
from ..protocol import Refusal
from . import kept, plausible
from .kept import no_modes
from .ledger import OWN, TORCH

aten = torch.ops.aten
# What a tensor without data knows of itself.
INTERNAL = ("fake_device", "fake_mode", "constant", "pytype", "dispatch_keys", "real_tensor", "_debug_trace", "_is_param")
# torch.tensor goes by the CPU by itself since 2.4.
ONLY_CPU_TENSORS = hasattr(torch._C, "_set_only_lift_cpu_tensors")
# What stands between a question of a tensor's value and the gate.
BETWEEN = ("_dynamo", "_compile.py", "_stats.py", "_tensor.py", "_jit_internal.py")
# A loop that asks the same this often goes on until the answer is another one.
SAME_ANSWERS = 16
# What masks select, by its own name.
SELECTS = (aten.index.Tensor, aten.masked_select.default)
# The largest tensor whose made-up values may decide a shape.
MOST_MADE_UP = 1 << 24


class Gate(TorchDispatchMode):
    def __init__(self, ledger):
        super().__init__()
        self.ledger = ledger
        self.fake = FakeTensorMode(allow_non_fake_inputs=True, allow_fallback_kernels=False)
        self.assumed = collections.Counter()  # what was made up, and how often
        self.asked, self.times = None, 0  # the line that asked last for a yes or no, and how often in a row

    @classmethod
    def is_infra_mode(cls):
        return True

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        fake = False
        for one in types:
            if issubclass(one, FakeTensor):
                fake = True
            elif one is not torch.Tensor and one is not torch.nn.Parameter:
                return NotImplemented  # Their own code (DTensor) runs first and comes back here.
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        device = kwargs.get("device")
        if not fake and (device is None or torch.device(device).type != "cuda"):
            return func(*args, **kwargs)
        if kwargs.get("generator") is not None:
            kwargs = {**kwargs, "generator": None}
        if func is aten._local_scalar_dense.default:
            return self.scalar(args[0])
        given = args, kwargs
        try:
            if torch.Tensor in types or (not fake and args):
                args, kwargs = tree_map(self._without_data, (args, kwargs))
            with self.fake:
                out = func(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException):
            out = self._made_up(func, args, kwargs)
        except UnsupportedOperatorException:
            out = self._on_ones(func, args, kwargs)
        kept.follow(func, *given, out)
        plausible.follow(func, args, out)
        self.ledger.saw(func, args, out)
        return out

    def _without_data(self, x):
        if not isinstance(x, torch.Tensor) or x.device.type != "cpu" or not (type(x) is torch.Tensor or is_plain(type(x))):
            return x
        return self.fake.from_tensor(x if type(x) is torch.Tensor else x.as_subclass(torch.Tensor))

    def scalar(self, tensor):
        known = kept.of(tensor)
        if known is not None:
            with no_modes():
                return known.item()
        value = plausible.value_of(tensor)
        if tensor.dtype is torch.bool and self._loops():
            value = not value
        self.assumed[f"{plausible.words(value)} as the value of a tensor at {caller(self.ledger)}"] += 1
        return value

    def _loops(self):
        """Whether one line of one call asks again and again: `while (x > limit).any()`."""
        frame = sys._getframe(2)
        while frame.f_back and (frame.f_code.co_filename.startswith(OWN) or any(part in frame.f_code.co_filename for part in BETWEEN)):
            frame = frame.f_back
        asks = (id(frame), frame.f_lineno)
        self.times = self.times + 1 if asks == self.asked else 1
        self.asked = asks
        return self.times > SAME_ANSWERS

    def _made_up(self, func, args, kwargs):
        """The shape of the result depends on data: the operation runs for real on ones, once, on the CPU."""
        if kept.decides(func, args):
            return self._on_ones(func, args, kwargs)
        if func is aten.equal.default:
            self.assumed[f"equal tensors at {caller(self.ledger)}"] += 1
            return True
        self.assumed[f"the most rows of {func.overloadpacket.__name__} at {caller(self.ledger)}"] += 1
        self.ledger.assumed_shapes += 1
        if func.overloadpacket.__name__ == "nms":  # of ones it would keep a single box
            with self.fake:
                return torch.empty(len(args[0]), dtype=torch.long, device=args[0].device)
        is_distinct = "unique" in func.overloadpacket.__name__ and plausible.is_distinct(args[0])
        return self._on_ones(func, (_distinct(args[0]), *args[1:]) if is_distinct else args, kwargs)

    def _selected(self, func, tensor, masks):
        """What masks select: only their values count, not those of the tensor, which may be large (logits)."""
        if func is aten.masked_select.default:
            rows = int(values(masks).sum()) * math.prod(torch.broadcast_shapes(tensor.shape, masks.shape)) // max(1, masks.numel())
            with self.fake:
                return torch.empty(rows, dtype=tensor.dtype, device=tensor.device)
        places = []
        for one in masks:
            if one is None or one.dtype not in (torch.bool, torch.uint8):
                places.append(one)
                continue
            known = values(one)
            with no_modes():
                found = known.nonzero(as_tuple=True)
            with self.fake:
                places += [torch.empty(place.shape, dtype=place.dtype, device=tensor.device) for place in found]
        with self.fake:
            return func(tensor, places)

    def _on_ones(self, func, args, kwargs):
        """The results' shapes, from a run on the CPU; of an operation that only changes its arguments there are none."""
        if not func._schema.returns:
            return None
        if func in SELECTS:
            return self._selected(func, *args)
        device = next((x.device for x in tree_leaves((args, kwargs)) if isinstance(x, FakeTensor)), "cuda")
        real = tree_map(lambda x: values(x) if isinstance(x, FakeTensor) else x, (args, kwargs))
        with no_modes():
            out = func(*real[0], **{k: v for k, v in real[1].items() if k != "device"})

        def blank(x):
            if not isinstance(x, torch.Tensor):
                return x
            return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=device)

        with self.fake:
            return tree_map(blank, out)


def _distinct(tensor):
    """Places of which none is there twice."""
    with no_modes():
        return torch.arange(tensor.numel()).reshape(tensor.shape)


def values(tensor):
    """On the CPU: what is known of them, else ones."""
    known = kept.of(tensor)
    if known is not None:
        return known
    if tensor.numel() > MOST_MADE_UP:
        raise Refusal("data-dependent", f"a shape depends on the values of a tensor of {tuple(tensor.shape)}, which nobody has")
    with no_modes():
        return torch.ones(tensor.shape, dtype=tensor.dtype)


def caller(ledger):
    """The line that asked."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith((TORCH, OWN, "<")):
        frame = frame.f_back
    return f"{ledger._named(frame.f_code.co_filename) or frame.f_code.co_filename}:{frame.f_lineno}" if frame else "?"


def install(gate):
    """What torch itself must know of tensors without data that last."""
    for name in ("init_gpu_context", "init_cuda_context"):
        if hasattr(fake_tensor, name):
            setattr(fake_tensor, name, lambda *args, **kwargs: None)
    if ONLY_CPU_TENSORS:
        torch._C._set_only_lift_cpu_tensors(True)  # torch.tensor(…, device="cuda") goes by the CPU
    _data(gate)
    _values(gate)
    _pickles(gate)
    _parameters(gate)
    _subclasses()
    _foreach()
    fill = torch.nn.init._no_grad_trunc_normal_  # draws until no value is outside, since 2.14
    torch.nn.init._no_grad_trunc_normal_ = lambda tensor, *args, **kwargs: tensor if isinstance(tensor, FakeTensor) else fill(tensor, *args, **kwargs)


def _data(gate):
    ledger, data = gate.ledger, torch.Tensor.data

    def set_data(self, value):
        if not isinstance(value, FakeTensor):
            value = gate.fake.from_tensor(value)
        data.__set__(self, value)
        self.fake_device = value.fake_device  # else param.data = param.data.cuda() stays where it was
        if getattr(self, "_is_param", False):
            ledger.rename(self, "weights")

    FakeTensor.data = property(lambda self: data.__get__(self), set_data)
    swap = getattr(torch.utils, "swap_tensors", None)  # since 2.3

    def swapped(one, other):
        """`module.to(…)` swaps tensors of unknown classes, which nothing else may refer to."""
        if not isinstance(one, FakeTensor):
            return swap(one, other)
        if one is other:  # it quantized itself
            return None
        if not isinstance(other, FakeTensor) and hasattr(other, "__tensor_flatten__"):
            return _exchanged(one, other)  # a weight that becomes several tensors
        if isinstance(other, FakeTensor) and type(other) is not FakeTensor:
            one.__dict__.update({key: value for key, value in other.__dict__.items() if key not in INTERNAL})
        one.data = other.detach() if isinstance(other, FakeTensor) else other
        return None

    if swap is not None:
        torch.utils.swap_tensors = swapped
    resize = torch.UntypedStorage.resize_

    def resized(self, size):
        out = resize(self, size)
        ledger.resized(self)
        return out

    torch.UntypedStorage.resize_ = resized


def _exchanged(one, other):
    """As torch.utils.swap_tensors does it, without its question whether anyone else refers to them."""
    one.__class__, other.__class__ = other.__class__, one.__class__
    one.__dict__, other.__dict__ = other.__dict__, one.__dict__
    torch._C._swap_tensor_impl(one, other)


def _values(gate):
    """Values that leave torch: lists, arrays, and lists of tensors that torch.tensor reads in C++."""
    import numpy

    FakeTensor.tolist = lambda self: gate.scalar(self) if self.dim() == 0 else values(self).tolist()
    FakeTensor.__format__ = lambda self, how: format(gate.scalar(self) if self.dim() == 0 else str(self), how)
    to_numpy = torch.Tensor.numpy

    def array(self, *args, **kwargs):
        if isinstance(self, FakeTensor) and kept.of(self) is not None:
            self = kept.of(self)
        elif isinstance(self, FakeTensor):
            gate.assumed[f"ones in an array at {caller(gate.ledger)}"] += 1
            if self.numel() > MOST_MADE_UP:  # pictures to be plotted: one number, seen everywhere
                with no_modes():
                    one = to_numpy(torch.ones((), dtype=self.dtype))
                return numpy.broadcast_to(one, tuple(self.shape))
            self = values(self)
        with no_modes():
            return to_numpy(self, *args, **kwargs)

    def of_numbers(make):
        def number(x):
            if not isinstance(x, FakeTensor):
                return x
            return x.item() if x.dim() == 0 else x.tolist()

        def made(data, *args, **kwargs):
            numbers = tree_map(number, data) if _has_tensors(data) else data
            if ONLY_CPU_TENSORS or kwargs.get("device") is None:
                return make(numbers, *args, **kwargs)
            trained = kwargs.pop("requires_grad", False)
            out = make(numbers, *args, **{**kwargs, "device": None}).to(kwargs["device"])
            return out.requires_grad_() if trained else out

        return made

    def as_array(self, dtype=None, copy=None):
        out = array(self.detach())
        return out if dtype is None else out.astype(dtype)

    from torch.utils._device import _device_constructors

    _device_constructors()  # cached: `with torch.device("cuda")` knows torch.tensor by identity
    torch.tensor, torch.as_tensor = of_numbers(torch.tensor), of_numbers(torch.as_tensor)
    torch.Tensor.numpy = array
    torch.Tensor.__array__ = as_array


def _pickles(gate):
    """Loggers and caches write or hash what they are handed: of a tensor without data that is how it is laid out."""

    def made(shape, strides, dtype, device, is_trained, is_parameter):
        with gate.fake:
            out = torch.empty_strided(shape, strides, dtype=getattr(torch, dtype), device=device)
        gate.ledger.track(out)
        return torch.nn.Parameter(out, is_trained) if is_parameter else out.requires_grad_(is_trained)

    def reduced(self, protocol):
        is_parameter = isinstance(self, torch.nn.Parameter)
        return made, (tuple(self.shape), self.stride(), str(self.dtype)[6:], str(self.device), self.requires_grad, is_parameter)

    # Found by its name, as pickle and YAML look for it.
    made.__qualname__ = made.__name__ = "_made_from_pickle"
    globals()[made.__name__] = made
    FakeTensor.__reduce_ex__ = reduced
    FakeTensor.__copy__ = lambda self: self.detach().requires_grad_(self.requires_grad)


def _has_tensors(data):
    """Whether a list, also of lists, has tensors without data; lists of numbers are long."""
    if not isinstance(data, (list, tuple)):
        return False
    if data and isinstance(data[0], (int, float)):
        return any(isinstance(x, FakeTensor) for x in data)
    return any(isinstance(x, FakeTensor) or _has_tensors(x) for x in data)


def _parameters(gate):
    """Parameters have no data wherever they lie; subclasses of Parameter become such ones of their class."""
    make, classes, new = torch.Tensor._make_subclass, {}, torch.nn.Parameter.__new__

    def make_subclass(cls, tensor, *args, **kwargs):
        if not isinstance(tensor, FakeTensor) or issubclass(cls, FakeTensor):
            return make(cls, tensor, *args, **kwargs)
        if cls not in classes:
            body = {"__torch_dispatch__": FakeTensor.__torch_dispatch__, "data": FakeTensor.data}
            classes[cls] = type(cls)(cls.__name__, (cls, FakeTensor), body)
        out = tensor.detach().requires_grad_(bool(args and args[0]) or kwargs.get("require_grad", False))
        out.__class__ = classes[cls]
        if issubclass(cls, torch.nn.Parameter):
            out._is_param = True
        return out

    def parameter(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        if type(data) is torch.Tensor and data.device.type == "cpu":
            data = gate.fake.from_tensor(data.detach())
        if cls is torch.nn.Parameter and isinstance(data, FakeTensor) and type(data) is not FakeTensor:
            data._is_param = True  # a parameter of its own class
            return data
        own = cls is not torch.nn.Parameter and isinstance(data, FakeTensor)
        out = make_subclass(cls, data, requires_grad) if own else new(cls, data, requires_grad)
        gate.ledger.rename(out, "weights")
        return out

    torch.Tensor._make_subclass = staticmethod(make_subclass)
    torch.nn.Parameter.__new__ = staticmethod(parameter)


def is_plain(cls):
    """Whether tensors of this class (torchvision's pictures, MONAI's) have attributes of their own, but torch's operations."""
    return not issubclass(cls, (FakeTensor, torch.nn.Parameter)) and cls.__torch_dispatch__ is torch._C._disabled_torch_dispatch_impl


def _subclasses():
    """Of another class are only tensors with data. Before torch 2.5, an alias that a mode returns cannot become one."""
    really = torch.Tensor.as_subclass

    def as_subclass(self, cls):
        if isinstance(self, FakeTensor):
            return self if is_plain(cls) else really(self, cls)
        with no_modes():
            return really(self, cls)

    torch.Tensor.as_subclass = as_subclass


def _foreach():
    """Foreach kernels are the default for CUDA tensors, but not for classes that torch does not know."""
    from torch.optim import optimizer
    from torch.utils import _foreach_utils

    for part in (optimizer, _foreach_utils):  # each, or one of them, by the release
        known = getattr(part, "_foreach_supported_types", None)
        if known is not None and FakeTensor not in known:
            known.append(FakeTensor)
