"""Builds transformers models from a config alone: no weights, no download."""

import contextlib

import torch
from torch import nn

from .protocol import Refusal

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

CLASSES = {
    "causal-lm": "AutoModelForCausalLM",
    "base": "AutoModel",
    "sequence-classification": "AutoModelForSequenceClassification",
    "masked-lm": "AutoModelForMaskedLM",
    "token-classification": "AutoModelForTokenClassification",
    "question-answering": "AutoModelForQuestionAnswering",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "image-classification": "AutoModelForImageClassification",
}

# Earlier releases made masks elsewhere, which was not verified with fake tensors.
LEAST_TRANSFORMERS = (4, 53)


def say_whether_padded(padded):
    """transformers drops a mask that is all true, which depends on data. Fake tensors have no data, so this decides:
    rows of equal length have no mask, padded rows have one."""
    from . import environment
    import transformers

    if environment.release(transformers.__version__) < LEAST_TRANSFORMERS:
        raise Refusal("version", f"transformers {transformers.__version__} is older than 4.53, the oldest whose masks are followed")
    import transformers.masking_utils as masks

    masks.find_packed_sequence_indices = lambda *args, **kwargs: None
    for name in ("_ignore_causal_mask_sdpa", "_ignore_bidirectional_mask_sdpa"):
        own = getattr(masks, f"headroom{name}", None) or getattr(masks, name, None)
        if own is None:
            continue
        setattr(masks, f"headroom{name}", own)
        setattr(masks, name, (lambda *args, **kwargs: False) if padded else own)


@contextlib.contextmanager
def uninitialised():
    """Weights are fake: initializing them takes time, and some initializers read values."""
    from transformers import PreTrainedModel

    names = [name for name in dir(nn.init) if name.endswith("_") and not name.startswith("_")]
    own = {name: getattr(nn.init, name) for name in names}
    # The name since transformers 5; earlier, _initialize_weights was called for each module.
    methods = [name for name in ("initialize_weights", "_initialize_weights") if hasattr(PreTrainedModel, name)]
    own_methods = {name: getattr(PreTrainedModel, name) for name in methods}
    for name in names:
        setattr(nn.init, name, lambda tensor=None, *args, **kwargs: kwargs.get("tensor", tensor))
    for name in methods:
        setattr(PreTrainedModel, name, lambda self, *args, **kwargs: None)
    try:
        yield
    finally:
        for name in names:
            setattr(nn.init, name, own[name])
        for name in methods:
            setattr(PreTrainedModel, name, own_methods[name])


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def config_of(config, layers=None):
    """The config object, with fewer layers if requested."""
    import transformers

    values = {k: v for k, v in config.items() if k not in ("model_type", "architectures", "quantization_config", "auto_map")}
    kind = config.get("model_type")
    try:
        made = transformers.AutoConfig.for_model(kind, **values)
    except ValueError as error:
        raise Refusal("model", f"transformers {transformers.__version__} here does not know the model type {kind}") from error
    if layers is not None:
        made.num_hidden_layers = layers
        for name in ("layer_types", "mlp_layer_types"):
            kinds = getattr(made, name, None)
            if isinstance(kinds, list):
                setattr(made, name, kinds[:layers])
    return made


def model_of(config, head, dtype, attention):
    import transformers

    if head not in CLASSES:
        raise Refusal("head", f"a dry run does not build models with a {head} head")
    if head == "seq2seq" and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = 0
    torch.set_default_dtype(torch.float32)
    maker = getattr(transformers, CLASSES[head])
    name = "dtype" if int(transformers.__version__.split(".")[0]) >= 5 else "torch_dtype"
    return maker.from_config(config, attn_implementation=attention, **{name: dtype})


def text_config(config):
    return getattr(config, "text_config", None) or config


def adapted(model, lora, dtype, training, on="cuda"):
    """Adds PEFT adapters, created on their device."""
    from peft import LoraConfig, get_peft_model
    from peft.tuners.tuners_utils import BaseTunerLayer

    BaseTunerLayer._move_adapter_to_device_of_base_layer = lambda self, *args, **kwargs: None
    if lora["inputGradients"]:
        model.enable_input_require_grads()
    targets = lora["targets"]
    widens = lora["dtype"] == "fp32"
    settings = LoraConfig(
        r=lora["r"],
        lora_alpha=lora.get("alpha") or lora["r"],
        lora_dropout=lora.get("dropout") or 0.0,
        target_modules=targets if isinstance(targets, str) or targets is None else list(targets),
        modules_to_save=lora.get("modulesToSave") or None,
        use_dora=bool(lora.get("dora")),
        use_rslora=bool(lora.get("rslora")),
        bias="none",
    )
    with torch.device(on), default_dtype(torch.float32 if widens else dtype):
        # Everything is on the device already, and a fake parameter cannot be swapped.
        to, nn.Module.to = nn.Module.to, lambda self, *args, **kwargs: self
        try:
            model = get_peft_model(model, settings, autocast_adapter_dtype=widens)
        finally:
            nn.Module.to = to
    model.train(training)
    return model
