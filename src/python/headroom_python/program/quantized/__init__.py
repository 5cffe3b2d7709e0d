"""Models whose weights are quantized when they are loaded: the linear layers of their method, with its storages."""

import contextlib

import torch

from ...protocol import Refusal
from . import bitsandbytes, packed, torchao

METHODS = {"bitsandbytes": bitsandbytes.convert, "torchao": torchao.convert, "gptq": packed.gptq, "awq": packed.awq, "hqq": packed.hqq}


def wanted(config, kwargs):
    """The quantization of a load: of its arguments, or of the checkpoint's own config; None: none."""
    given = kwargs.get("quantization_config") or getattr(config, "quantization_config", None)
    if given is None and (kwargs.get("load_in_4bit") or kwargs.get("load_in_8bit")):
        given = {"quant_method": "bitsandbytes", **{key: value for key, value in kwargs.items() if key.startswith(("load_in", "bnb_", "llm_int8"))}}
        for key in given:
            kwargs.pop(key, None)
    if isinstance(given, dict):
        from transformers.quantizers.auto import AutoQuantizationConfig

        given = AutoQuantizationConfig.from_dict(dict(given))
    return given


def method_of(given):
    method = getattr(given, "quant_method", "")
    return str(getattr(method, "value", method)).lower().split("_")[0]


def apply(model, given, notes):
    """The model on the GPU with its layers replaced, as Transformers leaves it."""
    method = method_of(given)
    if method not in METHODS:
        raise Refusal("quantized", f"weights quantized by {method or 'an unknown method'} cannot be followed by a dry run of a program")
    model = METHODS[method](model, given, skipped(model, given))
    model.config.quantization_config = given
    model.is_quantized, model.quantization_method = True, given.quant_method
    with contextlib.suppress(Exception):  # Trainers only ask it whether its weights can be trained around.
        from transformers.quantizers.auto import AutoHfQuantizer

        model.hf_quantizer = AutoHfQuantizer.from_config(given, pre_quantized=False)
    notes.add(f"weights quantized by {method}, by their storages")
    for parameter in model.parameters():
        parameter.requires_grad_(parameter.requires_grad and parameter.dtype.is_floating_point)
    return model


def skipped(model, given):
    """Names of layers that stay as they are: those that the config names, otherwise the last ones, which make the output."""
    named = getattr(given, "llm_int8_skip_modules", None) or getattr(given, "modules_to_not_convert", None)
    if named:
        return tuple(named)
    heads = [name for name, module in model.named_modules() if module is model.get_output_embeddings()]
    last = list(model.named_parameters())[-1][0].rpartition(".")[0]
    return (*heads, last)


def replace(model, skip, make):
    """`make(linear, name)` in place of every linear layer that is not skipped."""
    layers = [(name, module) for name, module in model.named_modules() if type(module) is torch.nn.Linear]
    for name, module in layers:
        if any(name == one or name.endswith(f".{one}") or f"{one}." in name for one in skip):
            continue
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, make(module, name))
    return model
