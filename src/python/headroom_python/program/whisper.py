"""OpenAI's own Whisper (`whisper.load_model`) without its checkpoints: the model of a name, by the sizes of the same models of transformers."""

import os

from .imported import when_imported
from .loading import WEIGHTS
from .sizes import SIZES

# Names of its release for others (`_MODELS` of whisper/__init__.py).
ALIASES = {"large": "large-v3", "turbo": "large-v3-turbo", "large-v1": "large"}
# `n_audio_ctx` and `n_text_ctx` of all its checkpoints.
FRAMES = 1500
TOKENS = 448


def install(notes):
    when_imported("whisper", lambda module: _models(module, notes))


def _models(module, notes):
    if not hasattr(module, "ModelDimensions"):
        return  # a module of the project that is called the same
    really = module.load_model

    def load_model(name, device=None, *args, **kwargs):
        sizes = SIZES.get(f"openai/whisper-{ALIASES.get(name, name)}")
        if sizes is None or os.path.exists(name):
            return really(name, device, *args, **kwargs)
        notes.add(WEIGHTS)
        model = module.Whisper(_dimensions(module, sizes[1]))
        model.register_buffer("alignment_heads", model.alignment_heads.to_dense(), persistent=False)  # sparse tensors have no data-less ones
        return model.to(device or "cuda")

    module.load_model = load_model


def _dimensions(module, sizes):
    return module.ModelDimensions(
        n_mels=sizes["num_mel_bins"],
        n_vocab=sizes["vocab_size"],
        n_audio_ctx=FRAMES,
        n_audio_state=sizes["d_model"],
        n_audio_head=sizes["encoder_attention_heads"],
        n_audio_layer=sizes["encoder_layers"],
        n_text_ctx=TOKENS,
        n_text_state=sizes["d_model"],
        n_text_head=sizes["decoder_attention_heads"],
        n_text_layer=sizes["decoder_layers"],
    )
