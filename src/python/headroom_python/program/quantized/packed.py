"""GPTQ, AWQ and HQQ: integers packed into words, with scales and zeros by group. A product unpacks its weight, forward and backward.

Shapes: AutoGPTQ's and GPTQModel's QuantLinear (qweight, qzeros, scales, g_idx), AutoAWQ's WQLinear_GEMM, HQQ's HQQLinear (W_q, scale, zero)."""

import torch

WORD = 32


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias, rows, columns):
        ctx.shape, ctx.has_bias = (rows, columns), bias is not None
        weight = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
        return torch.nn.functional.linear(x, weight, bias)

    @staticmethod
    def backward(ctx, grad):
        weight = torch.empty(*ctx.shape, dtype=grad.dtype, device=grad.device)
        bias = grad.flatten(0, -2).sum(0) if ctx.has_bias and ctx.needs_input_grad[1] else None
        return grad @ weight, bias, None, None


class PackedLinear(torch.nn.Linear):
    """A linear layer as adapters see it: `weight` is on its device, in its dtype, and has nothing."""

    def __init__(self, linear, storages, dtype):
        torch.nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight = torch.nn.Parameter(torch.empty(0, dtype=dtype, device="cuda"), requires_grad=False)
        bias = None if linear.bias is None else torch.nn.Parameter(linear.bias.data.to("cuda"), requires_grad=False)
        self.register_parameter("bias", bias)
        for name, (shape, kind) in storages.items():
            self.register_buffer(name, torch.empty(shape, dtype=kind, device="cuda"))

    def forward(self, x):
        return Product.apply(x, self.bias, self.out_features, self.in_features)


def _sizes(linear, given, bits, group):
    rows, columns = linear.in_features, linear.out_features
    bits = int(getattr(given, "bits", None) or bits)
    group = int(getattr(given, "group_size", None) or group)
    return rows, columns, bits, rows if group <= 0 else group


def gptq(model, given, skip):
    def storages(linear):
        rows, columns, bits, group = _sizes(linear, given, 4, 128)
        groups = -(-rows // group)
        return {
            "qweight": ((rows * bits // WORD, columns), torch.int32),
            "qzeros": ((groups, columns * bits // WORD), torch.int32),
            "scales": ((groups, columns), torch.float16),
            "g_idx": ((rows,), torch.int32),
        }

    return _packed(model, skip, storages)


def awq(model, given, skip):
    def storages(linear):
        rows, columns, bits, group = _sizes(linear, given, 4, 128)
        words = columns * bits // WORD
        return {
            "qweight": ((rows, words), torch.int32),
            "qzeros": ((rows // group, words), torch.int32),
            "scales": ((rows // group, columns), torch.float16),
        }

    return _packed(model, skip, storages)


def hqq(model, given, skip):
    own = (getattr(given, "quant_config", None) or {}).get("weight_quant_params", {})

    def storages(linear):
        rows, columns, bits, group = linear.in_features, linear.out_features, own.get("nbits", 4), own.get("group_size", 64) or linear.in_features
        kind, groups = linear.weight.dtype, rows * columns // group
        return {
            "W_q": ((rows * columns * bits // 8,), torch.uint8),
            "scale": ((groups, 1), kind),
            "zero": ((groups, 1), kind),
        }

    return _packed(model, skip, storages)


def _packed(model, skip, storages):
    from . import replace

    replace(model, skip, lambda linear, _: PackedLinear(linear, storages(linear), linear.weight.dtype))
    return model.to("cuda")
