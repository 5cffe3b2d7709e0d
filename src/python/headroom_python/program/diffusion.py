"""Models of diffusers need their config.json only. Of the files of Stable Diffusion, which most programs start from, the configs are known."""

import inspect
import typing

import torch

from ..protocol import Refusal
from .imported import when_imported
from .loading import WEIGHTS

# Four levels with two blocks each and four latent channels: the autoencoder of Stable Diffusion 1, 2 and XL (their vae/config.json).
AUTOENCODER = {
    "block_out_channels": (128, 256, 512, 512), "down_block_types": ("DownEncoderBlock2D",) * 4, "up_block_types": ("UpDecoderBlock2D",) * 4,
    "layers_per_block": 2, "latent_channels": 4, "norm_num_groups": 32,
}  # fmt: skip
# What their unet/config.json have beyond the defaults of the class.
UNETS = {
    "1": {"sample_size": 64, "cross_attention_dim": 768, "attention_head_dim": 8},
    "2": {"sample_size": 96, "cross_attention_dim": 1024, "attention_head_dim": (5, 10, 20, 20), "use_linear_projection": True},
    "xl": {
        "sample_size": 128, "cross_attention_dim": 2048, "attention_head_dim": (5, 10, 20), "use_linear_projection": True, "block_out_channels": (320, 640, 1280),
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), "transformer_layers_per_block": (1, 2, 10),
        "addition_embed_type": "text_time", "addition_time_embed_dim": 256, "projection_class_embeddings_input_dim": 2816,
    },
}  # fmt: skip
# Their text encoders, as CLIPTextConfig has them.
TEXTS = {
    "1": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12, "projection_dim": 768},
    "2": {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 23, "num_attention_heads": 16, "projection_dim": 512},
    "xl second": {"hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32, "num_attention_heads": 20, "projection_dim": 1280},
}


def install(notes):
    when_imported("diffusers.models.modeling_utils", lambda module: _models(module.ModelMixin, notes))
    when_imported("diffusers.schedulers.scheduling_utils", lambda module: _schedulers(module.SchedulerMixin, notes))
    when_imported("diffusers.pipelines.pipeline_utils", lambda module: _pipelines(module.DiffusionPipeline))


def generation(name):
    """Which Stable Diffusion a name is of; None: none of those that are known."""
    words = str(name).lower()
    if not any(word in words for word in ("stable-diffusion", "sd-vae", "sdxl", "sd-turbo")) or "diffusion-3" in words:
        return None
    if "xl" in words:
        return "xl"
    return "2" if "diffusion-2" in words or "turbo" in words else "1"


def text_config(name, part=None):
    """Keys of the CLIPTextConfig of a pipeline's text encoder (`part`: its folder); None: unknown."""
    which = generation(name)
    if which == "xl":
        which = "xl second" if str(part).endswith("_2") else "1"
    return None if which is None else {"vocab_size": 49408, "max_position_embeddings": 77, **TEXTS[which]}


def _known(kind, name):
    which = generation(name)
    if which is None:
        return None
    return {"AutoencoderKL": AUTOENCODER, "UNet2DConditionModel": UNETS[which]}.get(kind)


def _models(Model, notes):
    def from_pretrained(cls, name=None, **kwargs):
        try:
            config = cls.load_config(name, subfolder=kwargs.get("subfolder"))
        except Exception as error:
            config = _known(cls.__name__, name)
            if config is None:
                raise Refusal("config", f"the config.json of {name} is not on this machine") from error
            notes.add(f"{name} by the configs of Stable Diffusion")
        own = inspect.signature(cls.__init__).parameters
        model = cls.from_config({**config, **{key: value for key, value in kwargs.items() if key in own}})
        notes.add(WEIGHTS)
        dtype = kwargs.get("torch_dtype")
        return (model.to(dtype) if isinstance(dtype, torch.dtype) else model).eval()

    Model.from_pretrained = classmethod(from_pretrained)
    Model.save_pretrained = lambda self, *args, **kwargs: None


def _schedulers(Scheduler, notes):
    """A schedule has no memory worth a name: the defaults of its class do."""
    really = Scheduler.from_pretrained.__func__

    def from_pretrained(cls, name=None, *args, **kwargs):
        try:
            return really(cls, name, *args, **kwargs)
        except Exception:
            notes.add(f"the defaults of {cls.__name__}, whose file is missing")
            return cls()

    Scheduler.from_pretrained = classmethod(from_pretrained)


def _pipelines(Pipeline):
    """A pipeline is its parts, as the arguments of its class name and type them."""
    really = Pipeline.from_pretrained.__func__

    def from_pretrained(cls, name=None, **kwargs):
        try:
            return really(cls, name, **kwargs)
        except Refusal:
            raise
        except Exception as error:
            made = _assembled(_class_of(cls, name), name, kwargs)
            if made is None:
                raise Refusal("config", f"the model_index.json of {name} is not on this machine") from error
            return made

    Pipeline.from_pretrained = classmethod(from_pretrained)
    Pipeline.save_pretrained = lambda self, *args, **kwargs: None


def _class_of(cls, name):
    import diffusers

    if cls is not diffusers.DiffusionPipeline:
        return cls
    return diffusers.StableDiffusionXLPipeline if generation(name) == "xl" else diffusers.StableDiffusionPipeline


def _assembled(cls, name, given):
    if generation(name) is None:
        return None
    parts, dtype = {}, given.get("torch_dtype")
    kinds = typing.get_type_hints(cls.__init__)
    for part, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        if part in given:
            parts[part] = given[part]
        elif part in cls._optional_components or part in ("safety_checker", "feature_extractor", "image_encoder"):
            parts[part] = None if part not in ("text_encoder", "text_encoder_2", "tokenizer", "tokenizer_2") else _part(kinds[part], name, part, dtype)
        elif parameter.default is inspect.Parameter.empty:
            parts[part] = _part(kinds[part], name, part, dtype)
    if "requires_safety_checker" in inspect.signature(cls.__init__).parameters:
        parts["requires_safety_checker"] = False
    return cls(**parts)


def _part(kind, name, part, dtype):
    import diffusers

    if part == "scheduler":
        return diffusers.PNDMScheduler()
    kind = next((one for one in typing.get_args(kind) if hasattr(one, "from_pretrained")), kind)
    if not hasattr(kind, "from_pretrained"):
        return None
    made = kind.from_pretrained(name, subfolder=part)
    return made.to(dtype) if isinstance(made, torch.nn.Module) and isinstance(dtype, torch.dtype) else made
