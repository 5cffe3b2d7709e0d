"""bitsandbytes: its own layers, whose operations know their results' shapes; its C library is not called."""

import torch

from ...kernels import OTHERS
from ..imported import when_imported

# _GEMM_4BIT_CUSTOM_FLOOR_M of bitsandbytes/backends/cuda/ops.py: with more rows the GPU decides whether the weight is unpacked.
FEW_ROWS = 4


def install(gate):
    when_imported("bitsandbytes.functional", lambda module: _paged(module, gate))
    when_imported("bitsandbytes.functional", lambda module: _products())
    when_imported("bitsandbytes.nn.modules", _without_outliers)


def _products():
    """Since 0.50 a product of a 4-bit weight is one operation, which unpacks the weight itself: the most that it needs."""
    operation = getattr(torch.ops.bitsandbytes, "gemm_4bit", None)
    if operation is not None:
        OTHERS[operation.default] = _unpacked


def _unpacked(rows, _packed, shape, *_):
    return shape[0] * shape[1] * rows.element_size() if rows.numel() > FEW_ROWS * rows.shape[-1] else 0


def _without_outliers(module):
    """How many columns are beyond the threshold, only data say: few, so none."""
    make = module.Linear8bitLt.__init__

    def init(self, *args, **kwargs):
        make(self, *args, **kwargs)
        self.state.threshold = 0.0

    module.Linear8bitLt.__init__ = init


def _paged(module, gate):
    """Paged states lie in unified memory, which torch's allocator does not have: counted on the CPU, and named so by the optimizer."""

    def get_paged(*shape, dtype=torch.float32, device=None):
        with gate.fake:
            made = torch.empty(*shape, dtype=dtype, device="cpu")
        made.is_paged, made.page_deviceid = True, 0
        return made

    module.get_paged = get_paged
    for name in ("prefetch_tensor", "fill", "elementwise_func", "arange", "_mul"):
        if hasattr(module, name):
            setattr(module, name, lambda *args, **kwargs: None)


def convert(model, given, skip):
    import bitsandbytes

    from . import replace

    is_four = bool(getattr(given, "load_in_4bit", False))

    def four(linear, _):
        made = bitsandbytes.nn.Linear4bit(
            1, 1, bias=False, compute_dtype=given.bnb_4bit_compute_dtype, compress_statistics=given.bnb_4bit_use_double_quant,
            quant_type=given.bnb_4bit_quant_type,
        )  # fmt: skip
        made.weight = bitsandbytes.nn.Params4bit(
            linear.weight.data, requires_grad=False, compress_statistics=given.bnb_4bit_use_double_quant, quant_type=given.bnb_4bit_quant_type,
            module=made,
        )  # fmt: skip
        return made

    def eight(linear, _):
        made = bitsandbytes.nn.Linear8bitLt(1, 1, bias=False, has_fp16_weights=False, threshold=given.llm_int8_threshold)
        made.weight = bitsandbytes.nn.Int8Params(linear.weight.data, requires_grad=False, has_fp16_weights=False)
        return made

    def make(linear, name):
        made = (four if is_four else eight)(linear, name)
        made.in_features, made.out_features = linear.in_features, linear.out_features
        if linear.bias is not None:
            made.bias = linear.bias
        return made.to("cuda")  # which quantizes

    replace(model, skip, make)
    model.is_loaded_in_4bit, model.is_loaded_in_8bit = is_four, not is_four
    for name, module in model.named_modules():
        if not isinstance(module, (bitsandbytes.nn.Linear4bit, bitsandbytes.nn.Linear8bitLt)):
            _move(module)
    return model


def _move(module):
    """What is not quantized goes to the GPU as it is."""
    for name, parameter in module.named_parameters(recurse=False):
        parameter.data = parameter.data.to("cuda")
    for name, buffer in module.named_buffers(recurse=False):
        persistent = name not in module._non_persistent_buffers_set
        module.register_buffer(name, buffer.to("cuda"), persistent)
