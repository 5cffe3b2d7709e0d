# Classifiers of timm 1.0 (models/*.py), with the attributes that programs read and replace.
# Read by Headroom's interpreter of shapes, which knows torch's layers. `get_model` notes the name for what can't be read.
import torch
import torch.nn as nn

from backbones import RESNETS, DenseNet, EfficientNet, ResNet
from known import get_model
from vision_transformers import CONVNEXTS, SWINS, VITS, ConvNeXt, SwinTransformer
from vision_transformers import VisionTransformer as Trunk


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs) if outputs > 0 else nn.Identity()


class Information:
    def __init__(self, widths, reductions):
        self.widths = widths
        self.reductions = reductions

    def channels(self):
        return self.widths

    def reduction(self):
        return self.reductions


class Levels(nn.Module):
    """`features_only`: the maps of each stage."""

    def __init__(self, trunk, widths, chosen):
        super().__init__()
        self.trunk = trunk
        self.chosen = range(len(widths)) if chosen is None else chosen
        reductions = [2 ** (at + (1 if len(widths) == 5 else 2)) for at in self.chosen]
        self.feature_info = Information([widths[at] for at in self.chosen], reductions)

    def forward(self, x):
        found = self.trunk.features(x, 5)[1:] if len(self.trunk.widths) == 5 else self.trunk.levels(x)
        return [found[at] for at in self.chosen]


class Head(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.in_features = inputs
        self.fc = linear(inputs, outputs)


class Network(nn.Module):
    """`kind`: how the trunk's result becomes a row: a map, a map with channels last, tokens."""

    def __init__(self, trunk, last, width, kind, head, num_classes, pool):
        super().__init__()
        self.trunk = trunk
        self.last = last
        self.kind = kind
        self.head_name = head
        self.num_features = width
        self.embed_dim = width
        self.num_classes = num_classes
        self.global_pool = nn.AdaptiveAvgPool2d(1)
        self.pools = pool != ""
        self.norm = nn.LayerNorm(width) if head == "head.fc" else nn.Identity()
        setattr(self, head.split(".")[0], Head(width, num_classes) if head == "head.fc" else linear(width, num_classes))

    def forward_features(self, x):
        if self.kind == "tokens":
            return self.trunk.sequence(x)
        if self.kind == "map":
            return self.last(self.trunk.features(x, 5)[-1])
        x = self.trunk.levels(x)[-1]
        return self.norm(x) if self.kind == "last" else x

    def get_classifier(self):
        return self.head.fc if self.head_name == "head.fc" else getattr(self, self.head_name)

    def reset_classifier(self, num_classes, global_pool="avg"):
        if self.head_name == "head.fc":
            self.head.fc = linear(self.num_features, num_classes)
        else:
            setattr(self, self.head_name, linear(self.num_features, num_classes))

    def forward_head(self, x, pre_logits=False):
        if self.kind == "tokens":
            x = x[:, 0] if self.pools else x
        elif self.kind == "last":
            x = x.mean([1, 2]) if self.pools else x
        elif self.pools:
            x = self.global_pool(x).flatten(1)
        if self.kind == "first":
            x = self.norm(x)
        if pre_logits:
            return x
        head = getattr(self, self.head_name.split(".")[0])
        return head.fc(x) if self.head_name == "head.fc" else head(x)

    def forward(self, x):
        return self.forward_head(self.forward_features(x))


class Residual(ResNet):
    def __init__(self, name, num_classes, in_chans, pool):
        super().__init__(name, in_chans)
        self.act1 = self.relu
        self.global_pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(1)) if pool != "" else nn.Identity()
        self.num_features = self.out_channels[-1]
        self.fc = linear(self.num_features, num_classes)

    def forward_features(self, x):
        return self.features(x, 5)[-1]

    def forward_head(self, x, pre_logits=False):
        x = self.global_pool(x)
        return x if pre_logits else self.fc(x)

    def get_classifier(self):
        return self.fc

    def reset_classifier(self, num_classes, global_pool="avg"):
        self.fc = linear(self.num_features, num_classes)

    def forward(self, x):
        return self.fc(self.global_pool(self.forward_features(x)))


def plain(name):
    name = name.replace("_ns", "").replace("_ap", "").replace("tf_efficientnet_b", "efficientnet_b")
    return name.replace("seres", "se_res") if name.startswith("seres") else name


SIDES = {"224": 224, "256": 256, "384": 384, "512": 512}


def trunk_of(name, in_chans, side):
    words = name.split("_")
    if name in RESNETS:
        return ResNet(name, in_chans), "map", "fc"
    if name.startswith("efficientnet_b"):
        return EfficientNet(words[1], in_chans), "map", "classifier"
    if name.startswith("densenet"):
        return DenseNet(name, in_chans), "map", "classifier"
    if words[0] == "convnext" and len(words) == 2:
        return ConvNeXt(*CONVNEXTS[words[1]], in_chans), "first", "head.fc"
    if words[0] == "swin" and len(words) == 5:
        return SwinTransformer(*SWINS[words[1]], int(words[3].replace("window", "")), False, in_chans), "last", "head.fc"
    if words[0] in ("vit", "deit") and len(words) == 4:
        dim, depth, heads = VITS[words[1]]
        return Trunk(dim, depth, heads, int(words[2].replace("patch", "")), side or SIDES[words[3]], in_chans), "tokens", "head"
    raise KeyError(name)


def create_model(
    model_name,
    pretrained=False,
    pretrained_cfg=None,
    pretrained_cfg_overlay=None,
    checkpoint_path="",
    num_classes=None,
    in_chans=3,
    features_only=False,
    out_indices=None,
    global_pool="avg",
    img_size=None,
    drop_rate=0,
    drop_path_rate=0,
    drop_block_rate=None,
    cache_dir=None,
    exportable=None,
    scriptable=None,
    no_jit=None,
):
    get_model(model_name)
    tag = model_name.split(".")[1:]
    name = plain(model_name.split(".")[0])
    if num_classes is None:
        # Checkpoints of ImageNet-21k that were not finetuned have its classes.
        if name.endswith("k") or (len(tag) > 0 and tag[0].endswith("k") and "ft" not in tag[0] and "1k" not in tag[0]):
            raise KeyError(model_name)
        num_classes = 1000
    if name in RESNETS and not features_only:
        return Residual(name, num_classes, in_chans, global_pool)
    trunk, kind, head = trunk_of(name, in_chans, img_size)
    if features_only:
        if kind == "tokens":
            raise KeyError(model_name)
        if kind == "map":
            trunk.widths = trunk.out_channels[1:]
            trunk.head = None
        return Levels(trunk, trunk.widths, out_indices)
    last = nn.Identity()
    if kind == "map":
        width = trunk.out_channels[-1]
        if name.startswith("densenet"):
            last = nn.ReLU(inplace=True)
        elif name.startswith("efficientnet"):
            width = trunk.head[1].num_features
            last = nn.Sequential(trunk.head, trunk.act)
    else:
        width = trunk.cls_token.shape[-1] if kind == "tokens" else trunk.widths[-1]
    return Network(trunk, last, width, kind, head, num_classes, global_pool)


def VisionTransformer(
    img_size=224,
    patch_size=16,
    in_chans=3,
    num_classes=1000,
    global_pool="token",
    embed_dim=768,
    depth=12,
    num_heads=12,
    mlp_ratio=4.0,
    qkv_bias=True,
    pre_norm=False,
    class_token=True,
    **others,
):
    if pre_norm or not qkv_bias or not class_token or global_pool != "token":
        raise KeyError("VisionTransformer")
    trunk = Trunk(embed_dim, depth, num_heads, patch_size, img_size, in_chans, mlp_ratio)
    return Network(trunk, nn.Identity(), embed_dim, "tokens", "head", num_classes, global_pool)
