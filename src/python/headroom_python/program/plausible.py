"""Values that nobody has: losses are finite and 1, what asks for a NaN finds none."""

import torch
from torch._subclasses.fake_tensor import FakeTensor

aten = torch.ops.aten
NAMES = ("any", "all", "logical_or", "logical_and", "logical_not", "logical_xor", "bitwise_or", "bitwise_and", "bitwise_not", "sum", "max", "min")
NAMES += ("gt", "lt", "ge", "le", "eq", "ne", "_to_copy", "clone", "detach", "view", "add", "mul", "alias", "select", "unsqueeze", "squeeze", "stack", "cat")
# Tests of numbers that hold for a run that goes well.
TESTS = {"isnan": False, "isinf": False, "isposinf": False, "isneginf": False, "isfinite": True}


# What leaves places in a tensor different from one another.
PICKS = ("squeeze", "unsqueeze", "view", "reshape", "select", "slice", "index", "index_select", "_to_copy", "clone", "alias", "detach")


def is_distinct(tensor):
    """Whether no value is there twice: places of what was found."""
    return getattr(tensor, "_headroom_distinct", False)


def follow(func, args, out):
    """Keeps the value of a test of numbers, and of what follows from it."""
    if type(out) is not FakeTensor or not args:
        return
    name = func.overloadpacket.__name__
    if name == "nonzero" or name in PICKS and is_distinct(args[0]):
        out._headroom_distinct = True
    if name in TESTS:
        out._headroom_value = TESTS[name]
    elif name == "ne" and len(args) == 2 and args[0] is args[1]:  # which isnan is made of
        out._headroom_value = False
    elif name == "eq" and len(args) == 2 and args[0] is args[1]:
        out._headroom_value = True
    elif name in NAMES:
        _derive(name, args, out)


def _derive(name, args, out):
    flat = args[0] if isinstance(args[0], (list, tuple)) else args
    tensors = [x for x in flat if isinstance(x, torch.Tensor)]
    values = [getattr(x, "_headroom_value", None) for x in tensors]
    if not values or None in values:
        return
    numbers = [x._headroom_value if isinstance(x, torch.Tensor) else x for x in flat]
    value = _value(name, numbers)
    if value is not None:
        out._headroom_value = value


def _value(name, numbers):
    if name in COMPARED and len(numbers) == 2:
        return COMPARED[name](*numbers)
    if name in ("logical_not", "bitwise_not"):
        return not numbers[0]
    if name in ("logical_or", "bitwise_or"):
        return any(numbers)
    if name in ("logical_and", "bitwise_and", "mul"):
        return all(numbers) if name != "mul" else numbers[0] * numbers[1]
    if name == "sum":  # of how many is not known: some, if any
        return int(numbers[0])
    if name == "add":
        return numbers[0] + numbers[1] if len(numbers) == 2 else None
    if name in ("stack", "cat"):
        return numbers[0] if len(set(numbers)) == 1 else None
    return None if name == "logical_xor" else numbers[0]


COMPARED = {
    "gt": lambda a, b: a > b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def value_of(tensor):
    value = getattr(tensor, "_headroom_value", 1)
    if tensor.dtype is torch.bool:
        return bool(value)
    if tensor.dtype.is_complex:
        return complex(value)
    return float(value) if tensor.dtype.is_floating_point else int(value)


def words(value):
    return str(value)
