"""torch.cuda.FloatTensor and its kin, which older programs make tensors with: their own classes need a driver."""

import torch

DTYPES = {
    **{"Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16, "Long": torch.int64},
    **{"Int": torch.int32, "Short": torch.int16, "Char": torch.int8, "Byte": torch.uint8, "Bool": torch.bool},
}


class Kind(type):
    def __instancecheck__(cls, x):
        return isinstance(x, torch.Tensor) and x.is_cuda and x.dtype is cls.dtype

    def __call__(cls, *args):
        """Of sizes, nothing yet; of data, a copy."""
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.as_tensor(args[0]).to("cuda", cls.dtype)
        return torch.empty(*args, dtype=cls.dtype, device="cuda")


def install():
    kinds = {f"{name}Tensor": Kind(f"{name}Tensor", (), {"dtype": dtype}) for name, dtype in DTYPES.items()}
    for name, kind in kinds.items():
        setattr(torch.cuda, name, kind)
    to_type, default = torch.Tensor.type, torch.set_default_tensor_type

    def of(kind):
        return kinds.get(kind[len("torch.cuda.") :]) if isinstance(kind, str) and kind.startswith("torch.cuda.") else kind

    def typed(self, dtype=None, *args, **kwargs):
        kind = of(dtype)
        return self.to("cuda", kind.dtype) if isinstance(kind, Kind) else to_type(self, dtype, *args, **kwargs)

    def set_default(kind):
        kind = of(kind)
        if not isinstance(kind, Kind):
            return default(kind)
        torch.set_default_device("cuda")
        return torch.set_default_dtype(kind.dtype)

    torch.Tensor.type, torch.set_default_tensor_type = typed, set_default
