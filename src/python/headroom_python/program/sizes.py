"""Configs of models of pictures, sounds and translation that programs name most: the defaults of a class, and what differs.

The catalog has 75 of these 109 models from published sources, with the same widths, layers, heads and vocabularies. For the others, the result
says that the sizes are unconfirmed."""

# Models that are the defaults of their class.
OF_CLASS = {
    **{"gpt2": "GPT2Config", "openai-community/gpt2": "GPT2Config", "bert-base-uncased": "BertConfig", "google-bert/bert-base-uncased": "BertConfig"},
    **{"t5-small": "T5Config", "google-t5/t5-small": "T5Config", "openai/clip-vit-base-patch32": "CLIPConfig", "albert-xxlarge-v2": "AlbertConfig"},
    **{"google/vit-base-patch16-224": "ViTConfig", "google/vit-base-patch16-224-in21k": "ViTConfig", "facebook/wav2vec2-base": "Wav2Vec2Config"},
    **{"facebook/wav2vec2-base-960h": "Wav2Vec2Config", "facebook/bart-large": "BartConfig", "microsoft/resnet-50": "ResNetConfig"},
    **{"nvidia/mit-b0": "SegformerConfig", "facebook/detr-resnet-50": "DetrConfig", "microsoft/swin-tiny-patch4-window7-224": "SwinConfig"},
}


def _table():
    yield from ((name, kind, {}) for name, kind in OF_CLASS.items())
    yield from _whisper()
    yield from _speech()
    yield from _pictures()
    yield from _texts()


def _layers(width, count, heads, inner=None):
    return {"hidden_size": width, "num_hidden_layers": count, "num_attention_heads": heads, "intermediate_size": inner or 4 * width}


def _whisper():
    for name, (width, layers, heads, decoder) in {
        **{"tiny": (384, 4, 6, 4), "base": (512, 6, 8, 6), "small": (768, 12, 12, 12), "medium": (1024, 24, 16, 24)},
        **{"large": (1280, 32, 20, 32), "large-v2": (1280, 32, 20, 32), "large-v3": (1280, 32, 20, 32), "large-v3-turbo": (1280, 32, 20, 4)},
    }.items():
        sizes = {"d_model": width, "encoder_layers": layers, "decoder_layers": decoder, "encoder_attention_heads": heads, "decoder_attention_heads": heads}
        sizes |= {"encoder_ffn_dim": 4 * width, "decoder_ffn_dim": 4 * width, "vocab_size": 51_866 if "v3" in name else 51_865, "num_mel_bins": 128 if "v3" in name else 80}
        yield f"openai/whisper-{name}", "WhisperConfig", sizes
        if not name.startswith("large"):
            yield f"openai/whisper-{name}.en", "WhisperConfig", {**sizes, "vocab_size": 51_864}


LARGE = _layers(1024, 24, 16)
# How the larger models of speech normalize.
STABLE = {"feat_extract_norm": "layer", "do_stable_layer_norm": True, "conv_bias": True}


def _speech():
    yield "facebook/wav2vec2-large-960h", "Wav2Vec2Config", LARGE
    for name in ("wav2vec2-large-xlsr-53", "wav2vec2-xls-r-300m", "wav2vec2-large-960h-lv60-self", "wav2vec2-large-lv60"):
        yield f"facebook/{name}", "Wav2Vec2Config", {**LARGE, **STABLE}
    yield "facebook/wav2vec2-xls-r-1b", "Wav2Vec2Config", {**_layers(1280, 48, 16), **STABLE}
    for name in ("facebook/hubert-base-ls960", "superb/hubert-base-superb-er"):
        yield name, "HubertConfig", {}
    for name in ("facebook/hubert-large-ll60k", "facebook/hubert-large-ls960-ft"):
        yield name, "HubertConfig", {**LARGE, **STABLE}
    for name in ("microsoft/wavlm-base", "microsoft/wavlm-base-plus"):
        yield name, "WavLMConfig", {}
    yield "microsoft/wavlm-large", "WavLMConfig", {**LARGE, **STABLE}
    yield "MIT/ast-finetuned-audioset-10-10-0.4593", "ASTConfig", {"num_labels": 527}


def _pictures():
    for name, sizes in {"base-patch16-384": {"image_size": 384}, "base-patch32-384": {"image_size": 384, "patch_size": 32}, "base-patch32-224-in21k": {"patch_size": 32}}.items():
        yield f"google/vit-{name}", "ViTConfig", sizes
    for name in ("google/vit-large-patch16-224", "google/vit-large-patch16-224-in21k"):
        yield name, "ViTConfig", LARGE
    yield "google/vit-huge-patch14-224-in21k", "ViTConfig", {**_layers(1280, 32, 16), "patch_size": 14}
    yield "facebook/deit-tiny-patch16-224", "ViTConfig", _layers(192, 12, 3)
    yield "facebook/deit-small-patch16-224", "ViTConfig", _layers(384, 12, 6)
    yield "facebook/deit-base-patch16-224", "ViTConfig", {}
    yield "WinKawaks/vit-tiny-patch16-224", "ViTConfig", _layers(192, 12, 3)
    yield "WinKawaks/vit-small-patch16-224", "ViTConfig", _layers(384, 12, 6)
    for name, width, layers, heads in (("small", 384, 12, 6), ("base", 768, 12, 12), ("large", 1024, 24, 16), ("giant", 1536, 40, 24)):
        sizes = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "image_size": 518, "patch_size": 14}
        yield f"facebook/dinov2-{name}", "Dinov2Config", {**sizes, "use_swiglu_ffn": name == "giant"}
    small, wide = {"depths": [2, 2, 18, 2]}, {"depths": [2, 2, 18, 2], "embed_dim": 128, "num_heads": [4, 8, 16, 32]}
    yield "microsoft/swin-small-patch4-window7-224", "SwinConfig", small
    yield "microsoft/swin-base-patch4-window7-224", "SwinConfig", wide
    yield "microsoft/swin-base-patch4-window7-224-in22k", "SwinConfig", wide
    yield "microsoft/swin-large-patch4-window7-224", "SwinConfig", {**wide, "embed_dim": 192, "num_heads": [6, 12, 24, 48]}
    for name, depths, width in (("tiny", 9, 96), ("small", 27, 96), ("base", 27, 128), ("large", 27, 192)):
        yield f"facebook/convnext-{name}-224", "ConvNextConfig", {"depths": [3, 3, depths, 3], "hidden_sizes": [width << i for i in range(4)]}
    basic = {"layer_type": "basic", "hidden_sizes": [64, 128, 256, 512]}
    yield "microsoft/resnet-18", "ResNetConfig", {**basic, "depths": [2, 2, 2, 2]}
    yield "microsoft/resnet-34", "ResNetConfig", {**basic, "depths": [3, 4, 6, 3]}
    yield "microsoft/resnet-101", "ResNetConfig", {"depths": [3, 4, 23, 3]}
    yield "microsoft/resnet-152", "ResNetConfig", {"depths": [3, 8, 36, 3]}
    for i, depths in enumerate(([2, 2, 2, 2], [2, 2, 2, 2], [3, 4, 6, 3], [3, 4, 18, 3], [3, 8, 27, 3], [3, 6, 40, 3])):
        sizes = {"depths": depths, "decoder_hidden_size": 256 if i < 2 else 768, **({"hidden_sizes": [64, 128, 320, 512]} if i else {})}
        yield f"nvidia/mit-b{i}", "SegformerConfig", sizes
        yield f"nvidia/segformer-b{i}-finetuned-ade-512-512", "SegformerConfig", {**sizes, "num_labels": 150}
    tower = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "patch_size": 14, "projection_dim": 768}
    text = {"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "projection_dim": 768}
    yield "openai/clip-vit-base-patch16", "CLIPConfig", {"vision_config": {"patch_size": 16}}
    yield "openai/clip-vit-large-patch14", "CLIPConfig", {"projection_dim": 768, "vision_config": tower, "text_config": text}
    yield "MCG-NJU/videomae-base", "VideoMAEConfig", {}
    yield "facebook/vit-mae-base", "ViTMAEConfig", {}


def _texts():
    base = {"d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 12, "decoder_attention_heads": 12}
    yield "facebook/bart-base", "BartConfig", {**base, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072}
    yield "facebook/bart-large-cnn", "BartConfig", {"vocab_size": 50_264}
    yield "facebook/bart-large-mnli", "BartConfig", {}
    for name, width, inner, layers, heads in (("base", 768, 3072, 12, 12), ("large", 1024, 4096, 24, 16)):
        sizes = {"d_model": width, "d_ff": inner, "num_layers": layers, "num_decoder_layers": layers, "num_heads": heads}
        yield f"t5-{name}", "T5Config", sizes
        yield f"google-t5/t5-{name}", "T5Config", sizes
    gated = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
    for name, width, inner, layers, heads in (("small", 512, 1024, 8, 6), ("base", 768, 2048, 12, 12), ("large", 1024, 2816, 24, 16), ("xl", 2048, 5120, 24, 32)):
        sizes = {"d_model": width, "d_ff": inner, "num_layers": layers, "num_decoder_layers": layers, "num_heads": heads, **gated}
        yield f"google/flan-t5-{name}", "T5Config", sizes
        yield f"google/mt5-{name}", "MT5Config", {**sizes, "vocab_size": 250_112}
    yield "facebook/mbart-large-50", "MBartConfig", {"vocab_size": 250_054}
    yield "facebook/mbart-large-50-many-to-many-mmt", "MBartConfig", {"vocab_size": 250_054}
    yield "facebook/m2m100_418M", "M2M100Config", {"vocab_size": 128_112}
    yield "facebook/nllb-200-distilled-600M", "M2M100Config", {"vocab_size": 256_206}
    yield "google/pegasus-xsum", "PegasusConfig", {"vocab_size": 96_103, "encoder_layers": 16, "decoder_layers": 16}
    yield "allenai/longformer-base-4096", "LongformerConfig", {"vocab_size": 50_265, "max_position_embeddings": 4098, "type_vocab_size": 1}
    yield "google/bigbird-roberta-base", "BigBirdConfig", {}
    yield "microsoft/layoutlm-base-uncased", "LayoutLMConfig", {}
    yield "microsoft/layoutlmv3-base", "LayoutLMv3Config", {"max_position_embeddings": 514, "type_vocab_size": 1, "vocab_size": 50_265}


SIZES = {name: (kind, sizes) for name, kind, sizes in _table()}
