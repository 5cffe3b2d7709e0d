# Networks of mmsegmentation 1.2.2, mmdetection 3.3.0, mmpretrain 1.2.0 and mmpose 1.3.2 as their configs build them: each section by its `type`.
# A type or an option that is not described raises, so no network is made of a guess. Read by Headroom's interpreter of shapes.
import torch
import torch.nn as nn
import torch.nn.functional as F

from mm_sections import BACKBONES, POSES, only, options
from mmdet_parts import CSPNeXtPAFPN, DenseHead, YOLOXPAFPN, separate_head
from mmseg_heads import ASPPHead, DepthwiseSeparableASPPHead, FCNHead, LightHamHead, PSPHead, SegformerHead, UPerHead, joined


class Pyramid(nn.Module):
    """mmdet's FPN."""

    def __init__(self, section, sizes):
        super().__init__()
        given = options(
            section, ("out_channels", "num_outs", "start_level", "add_extra_convs", "relu_before_extra_convs", "end_level")
        )
        if given.get("end_level", -1) != -1 or "norm_cfg" in section:
            raise KeyError("end_level")
        self.start = given.get("start_level", 0)
        self.source = given.get("add_extra_convs", False)
        wide = given["out_channels"]
        used = sizes[self.start :]
        self.laterals = nn.ModuleList([nn.Conv2d(size, wide, 1) for size in used])
        self.outs = nn.ModuleList([nn.Conv2d(wide, wide, 3, padding=1) for _ in used])
        self.extra = nn.ModuleList()
        self.pooled = 0
        for at in range(given["num_outs"] - len(used)):
            if self.source == False:
                self.pooled += 1
            else:
                inputs = sizes[-1] if at == 0 and self.source in (True, "on_input") else wide
                self.extra.append(nn.Conv2d(inputs, wide, 3, 2, 1))
        self.out_channels = [wide for _ in range(given["num_outs"])]

    def forward(self, features):
        levels = [lateral(x) for lateral, x in zip(self.laterals, features[self.start :])]
        for at in range(len(levels) - 1, 0, -1):
            levels[at - 1] = levels[at - 1] + F.interpolate(levels[at], size=levels[at - 1].shape[2:])
        found = [out(x) for out, x in zip(self.outs, levels)]
        x = features[-1] if self.source in (True, "on_input") else levels[-1] if self.source == "on_lateral" else found[-1]
        for one in self.extra:
            x = one(x)
            found.append(x)
        for _ in range(self.pooled):
            found.append(F.max_pool2d(found[-1], 1, stride=2))
        return found


def yolox_neck(section, sizes):
    given = options(section, ("out_channels", "num_csp_blocks"))
    return YOLOXPAFPN(sizes, given["out_channels"], given.get("num_csp_blocks", 3))


def cspnext_neck(section, sizes):
    given = options(section, ("out_channels", "num_csp_blocks", "expand_ratio"))
    return CSPNeXtPAFPN(sizes, given["out_channels"], given.get("num_csp_blocks", 3), given.get("expand_ratio", 0.5))


NECKS = {"FPN": Pyramid, "YOLOXPAFPN": yolox_neck, "CSPNeXtPAFPN": cspnext_neck}

DECODERS = {
    "FCNHead": FCNHead,
    "PSPHead": PSPHead,
    "ASPPHead": ASPPHead,
    "DepthwiseSeparableASPPHead": DepthwiseSeparableASPPHead,
    "UPerHead": UPerHead,
    "SegformerHead": SegformerHead,
    "LightHamHead": LightHamHead,
}
LAYERS = ("channels", "num_convs", "concat_input", "c1_channels", "kernel_size", "ham_channels")


def decoder(section, sizes):
    given = options(section, LAYERS + ("num_classes", "dilations", "c1_in_channels", "out_channels", "ham_kwargs"))
    layers = {key: given[key] for key in LAYERS if key in given}
    if section["type"] == "LightHamHead":
        layers["rank"] = given.get("ham_kwargs", {}).get("MD_R", 64)
    elif section["type"] == "SegformerHead" and "channels" not in layers:
        layers["channels"] = 256
    made = DECODERS[section["type"]](sizes, **layers)
    outputs = given.get("out_channels", given["num_classes"])
    return nn.Sequential(made, nn.Dropout2d(0.1), nn.Conv2d(given["channels"], outputs, 1))


class EncoderDecoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        options(model, ())
        self.backbone = BACKBONES[model["backbone"]["type"]](model["backbone"])
        sizes = self.backbone.out_channels
        others = model.get("auxiliary_head", None)
        sections = [] if others is None else others if isinstance(others, list) else [others]
        self.heads = nn.ModuleList()
        self.taken = []
        self.joins = []
        for section in [model["decode_head"]] + sections:
            at = section.get("in_index", -1)
            # The low levels of a head beside the last one's.
            taken = range(len(sizes)) if "c1_channels" in section else at if isinstance(at, (list, tuple)) else [at]
            self.taken.append(taken)
            used = [sizes[level] for level in taken]
            self.joins.append(section.get("input_transform", None) == "resize_concat")
            self.heads.append(decoder(section, [sum(used)] if self.joins[-1] else used))

    def forward(self, x):
        features = self.backbone(x)
        found = []
        for taken, head, joins in zip(self.taken, self.heads, self.joins):
            used = [features[level] for level in taken]
            found.append(head([joined(used)] if joins else used))
        return [F.interpolate(one, size=x.shape[2:]) for one in found]


def dense_head(section, sizes):
    kind = section["type"]
    known = ("num_classes", "stacked_convs", "feat_channels", "share_conv", "exp_on_reg", "pred_kernel_size", "with_objectness")
    given = options(section, known + ("reg_max", "widen_factor", "anchor_type", "strides", "use_depthwise"))
    classes, wide = given["num_classes"], given.get("feat_channels", 256)
    stacked = given.get("stacked_convs", 4 if kind not in ("RTMDetSepBNHead", "YOLOXHead", "RTMDetHead") else 2)
    levels = len(sizes)
    if kind in ("RTMDetSepBNHead", "YOLOXHead"):
        shared = kind == "RTMDetSepBNHead" and given.get("share_conv", True)
        return separate_head(sizes[0], wide, stacked, classes, levels, kind == "YOLOXHead", shared)
    anchors = 1
    if kind == "RetinaHead":
        anchors = section["anchor_generator"].get("scales_per_octave", 3) * len(section["anchor_generator"]["ratios"])
    outputs = {
        "RetinaHead": (classes * anchors, 4 * anchors, 0),
        "FCOSHead": (classes, 4, 1),
        "ATSSHead": (classes, 4, 1),
        "PAAHead": (classes, 4, 1),
        "GFLHead": (classes, 4 * (given.get("reg_max", 16) + 1), 0),
    }
    return DenseHead(sizes[0], wide, stacked, *outputs[kind], kind != "RetinaHead", levels)


class Dense(nn.Module):
    """A detector whose head is convolved over every level."""

    def __init__(self, model):
        super().__init__()
        options(model, ("use_syncbn", "input_size", "random_size_range", "random_size_interval", "size_multiplier"))
        self.backbone = BACKBONES[model["backbone"]["type"]](model["backbone"])
        self.neck = NECKS[model["neck"]["type"]](model["neck"], self.backbone.out_channels)
        self.bbox_head = dense_head(model["bbox_head"], self.neck.out_channels)

    def forward(self, x):
        return self.bbox_head(self.neck(self.backbone(x)))


class ImageClassifier(nn.Module):
    def __init__(self, model):
        super().__init__()
        options(model, ())
        self.backbone = BACKBONES[model["backbone"]["type"]](model["backbone"])
        if model["neck"]["type"] != "GlobalAveragePooling" or model["head"]["type"] not in ("LinearClsHead", "ClsHead"):
            raise KeyError("neck")
        options(model["head"], ("num_classes",))
        self.fc = nn.Linear(self.backbone.out_channels[-1], model["head"]["num_classes"])

    def forward(self, x):
        return self.fc(F.adaptive_avg_pool2d(self.backbone(x)[-1], 1).flatten(1))


def listed(given, key, usual):
    found = given.get(key, usual)
    return [] if found is None else found


def rising(inputs, widths, kernels):
    layers = []
    for width, kernel in zip(widths, kernels):
        layers = layers + [
            nn.ConvTranspose2d(inputs, width, kernel, 2, (kernel - 1) // 2, kernel % 2, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        ]
        inputs = width
    return layers, inputs


class TopdownPoseEstimator(nn.Module):
    """mmpose 1.3.2 (models/heads/heatmap_heads/heatmap_head.py)."""

    def __init__(self, model):
        super().__init__()
        options(model, ())
        POSES[0] = True
        backbone = model["backbone"]
        neck = model.get("neck", None)
        head = model["head"]
        if backbone["type"] == "ResNet" and "out_indices" not in backbone:
            backbone = dict(backbone, out_indices=(3,))
        self.backbone = BACKBONES[backbone["type"]](backbone)
        self.joins = head.get("input_transform", None) == "resize_concat"
        if neck is not None:
            self.joins = options(neck, ("concat",)).get("concat", False)
        if head["type"] != "HeatmapHead" or (neck is not None and not self.joins):
            raise KeyError("head")
        known = ("out_channels", "deconv_out_channels", "deconv_kernel_sizes", "conv_out_channels", "conv_kernel_sizes", "final_layer")
        given = options(head, known)
        sizes = self.backbone.out_channels
        inputs = sum(sizes) if self.joins else sizes[-1]
        layers, inputs = rising(inputs, listed(given, "deconv_out_channels", (256, 256, 256)), listed(given, "deconv_kernel_sizes", (4, 4, 4)))
        for width, kernel in zip(listed(given, "conv_out_channels", []), listed(given, "conv_kernel_sizes", [])):
            layers = layers + [nn.Conv2d(inputs, width, kernel, padding=(kernel - 1) // 2), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
            inputs = width
        final = given.get("final_layer", {"kernel_size": 1})
        if final is not None:
            kernel = final.get("kernel_size", 1)
            layers = layers + [nn.Conv2d(inputs, given["out_channels"], kernel, padding=kernel // 2)]
        self.head = nn.Sequential(*layers)

    def forward(self, x):
        features = self.backbone(x)
        return self.head(joined(features) if self.joins else features[-1])


MODELS = {
    "EncoderDecoder": EncoderDecoder,
    "ImageClassifier": ImageClassifier,
    "RetinaNet": Dense,
    "FCOS": Dense,
    "ATSS": Dense,
    "GFL": Dense,
    "PAA": Dense,
    "YOLOX": Dense,
    "RTMDet": Dense,
    "TopdownPoseEstimator": TopdownPoseEstimator,
}


def build(model):
    return MODELS[model["type"]](model)
