"""MMCV's compiled operations, whether this Python has them or not (mmcv-lite): most write into tensors that their callers have allocated.

By MMCV's own sources: mmcv/ops/csrc/pytorch/*.cpp of 2.1.0, with what they allocate themselves."""

import torch

from ..protocol import Refusal
from .imported import when_imported


def install(notes):
    when_imported("mmcv.utils.ext_loader", lambda module: _loader(module, notes))


def _loader(module, notes):
    def load_ext(name, funcs):
        return Operations(notes)

    module.load_ext = load_ext


class Operations:
    def __init__(self, notes):
        self._notes = notes

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith(RETURNING):
            raise Refusal("kernels", f"it uses MMCV's {name}, whose results' shapes depend on their values")
        self._notes.add("MMCV's compiled operations by what they allocate")
        return OWN.get(name, _nothing)


def _nothing(*args, **kwargs):
    """Its results are among its arguments."""


def _all(boxes, *args, **kwargs):
    """All boxes stay, since none is known to cover another."""
    return torch.arange(len(boxes), device=boxes.device)


def _like(first, *args, **kwargs):
    return torch.empty_like(first)


def _attention(value, shapes, starts, locations, weights, im2col_step):
    """ms_deform_attn_cuda_forward."""
    batch, _, heads, channels = value.shape
    return value.new_empty(batch, locations.shape[1], heads * channels)


def _columns(image, out, kernel, rows=1):
    """What `im2col` unfolds, for as many rows of the batch as it takes at once."""
    return image.new_empty(image.shape[1] * kernel, rows * out.shape[-2] * out.shape[-1])


def _deformed(image, weight, offset, out, *_, kW, kH, im2col_step, **__):
    columns, buffer = _columns(image, out, kW * kH, im2col_step), torch.empty_like(out)
    del columns, buffer


def _deformed_backward(image, offset, gradient, *_, kW, kH, im2col_step, **__):
    _columns(image, gradient, kW * kH, im2col_step)


def _deformed_weights(image, offset, gradient, *_, kW, kH, im2col_step, **__):
    columns, buffer = _columns(image, gradient, kW * kH, im2col_step), torch.empty_like(gradient)
    del columns, buffer


def _modulated(image, weight, bias, ones, offset, mask, out, *_, kernel_h, kernel_w, **__):
    _columns(image, out, kernel_h * kernel_w)


def _modulated_backward(image, weight, bias, ones, offset, mask, columns, *gradients, kernel_h, kernel_w, **__):
    _columns(image, gradients[-1], kernel_h * kernel_w)


OWN = {
    **{"nms": _all, "softnms": _all, "nms_rotated": _all, "nms_quadri": _all},
    **{f"{side}_pool_{way}": _like for side in ("top", "bottom", "left", "right") for way in ("forward", "backward")},
    **{"fused_bias_leakyrelu": _like, "bias_act": _like, "ms_deform_attn_forward": _attention},
    **{"deform_conv_forward": _deformed, "deform_conv_backward_input": _deformed_backward, "deform_conv_backward_parameters": _deformed_weights},
    **{"modulated_deform_conv_forward": _modulated, "modulated_deform_conv_backward": _modulated_backward},
    **{"get_compiler_version": lambda: "not compiled", "get_compiling_cuda_version": lambda: "not available"},
}
# What returns tensors whose shapes nobody can say beforehand.
RETURNING = ("nms_match", "pixel_group", "contour_expand", "diff_iou_rotated", "filtered_lrelu", "upfirdn2d", "dynamic_point", "get_indice_pairs", "indice_", "fused_indice", "hard_voxelize")
