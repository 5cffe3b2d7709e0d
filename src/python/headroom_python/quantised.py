"""Quantized modules with their storages only, because bitsandbytes itself needs a GPU."""

import torch
import torch.nn.functional as F
from torch import nn


class _Product(torch.autograd.Function):
    """Unpacks a 4-bit weight for each product, and again for the gradient."""

    @staticmethod
    def forward(ctx, x, packed, shape, bias):
        ctx.packed, ctx.shape = packed, shape
        return F.linear(x, torch.empty(shape, dtype=x.dtype, device=x.device), bias)

    @staticmethod
    def backward(ctx, gradient):
        weight = torch.empty(ctx.shape, dtype=gradient.dtype, device=gradient.device)
        return torch.matmul(gradient, weight), None, None, None


class Linear4bit(nn.Linear):
    """bitsandbytes' Linear4bit: packed nibbles, a scale for 64 of them, which are quantized as well on request."""

    def __init__(self, linear, double, dtype):
        nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        count, device = linear.in_features * linear.out_features, linear.weight.device
        packed = torch.empty((count + 1) // 2, 1, dtype=torch.uint8, device=device)
        self.weight = nn.Parameter(packed, requires_grad=False)
        scales = -(-count // 64)
        self.register_buffer("absmax", torch.empty(scales, dtype=torch.uint8 if double else torch.float32, device=device))
        if double:
            self.register_buffer("absmax2", torch.empty(-(-scales // 256), dtype=torch.float32, device=device))
        self.bias, self.compute = linear.bias, dtype

    def forward(self, x):
        bias = None if self.bias is None else self.bias.to(self.compute)
        out = _Product.apply(x.to(self.compute), self.weight, (self.out_features, self.in_features), bias)
        return out.to(x.dtype).clone()


HEADS = ("lm_head", "embed_out", "score")


def quantise(model, double, dtype):
    for _, module in list(model.named_modules()):
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear and name not in HEADS:
                setattr(module, name, Linear4bit(child, double, dtype))


class Bitsandbytes(torch.optim.Optimizer):
    """bitsandbytes' optimizers by their states: uint8 and one scale for 256 elements, small tensors fp32. Paged states of large
    parameters lie in unified memory, which torch does not count; their scales do not."""

    def __init__(self, parameters, bits=8, states=2, paged=False):
        super().__init__(parameters, {"lr": 1e-5})
        self.bits, self.names, self.paged = bits, ("m", "v")[:states], paged

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None and not self.state[parameter]:
                    self._begin(parameter, self.state[parameter])

    def _begin(self, parameter, state):
        count = parameter.numel()
        wide = self.bits == 32 or count < 4096
        for name in self.names:
            # Optimizer2State.get_state_buffer: smaller ones are not paged.
            if not (self.paged and count >= 1e5):
                state[name] = torch.zeros_like(parameter, dtype=torch.float32 if wide else torch.uint8)
            if not wide:
                state[f"{name}_scale"] = torch.zeros(-(-count // 256), device=parameter.device)
        # It may have no counted state although it was initialized.
        state["begun"] = True
