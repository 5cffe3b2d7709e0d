# Networks of mmsegmentation 1.2.2, mmdetection 3.3.0 and mmpretrain 1.2.0 as their configs build them: each section by its `type`.
# A type or an option that is not described raises, so no network is made of a guess. Read by Headroom's interpreter of shapes.
import torch
import torch.nn as nn
import torch.nn.functional as F

from backbones import RESNETS, ResNet
from mmdet_parts import CHOSEN, CSPNeXtPAFPN, CSPDarknet, CSPNeXt, DenseHead, YOLOXPAFPN, separate_head
from mmseg_heads import ASPPHead, DepthwiseSeparableASPPHead, FCNHead, PSPHead, UNet, UPerHead, conv
from vision_transformers import CONVNEXTS, SWINS, ConvNeXt, SwinTransformer

# What changes no size: losses, targets, starting values, evaluation, dropout.
SILENT = (
    "type", "_delete_", "init_cfg", "pretrained", "norm_eval", "style", "data_preprocessor", "train_cfg", "test_cfg", "act_cfg", "norm_cfg",
    "drop_path_rate", "drop_rate", "attn_drop_rate", "dropout_ratio", "align_corners", "in_index", "input_transform", "in_channels",
    "contract_dilation", "convert_weights", "pretrain_img_size", "img_size", "layer_scale_init_value", "dilations",
    "loss_decode", "loss_cls", "loss_bbox", "loss_obj", "loss_l1", "loss_centerness", "loss_dfl", "bbox_coder", "ignore_index",
    "threshold", "sampler", "upsample_cfg", "loss", "topk", "cal_acc", "qkv_bias", "patch_norm", "qk_scale",
    "regress_ranges", "center_sampling", "center_sample_radius", "norm_on_bbox", "centerness_on_reg", "conv_bias", "reg_decoded_bbox",
    "gap_before_final_norm", "class_weight", "final_norm", "downsamples", "enc_dilations", "dec_dilations", "backbone", "neck", "decode_head", "auxiliary_head",
    "bbox_head", "head", "arch", "anchor_generator", "dilation", "pool_scales", "spp_kernal_sizes", "score_voting", "covariance_type",
)  # fmt: skip


def options(section, known):
    """The options of a section that are stated; one that is not known is an error."""
    found = {}
    for key in section:
        if key in known:
            found[key] = section[key]
        elif key not in SILENT and section[key] is not None and section[key] != False:
            raise KeyError(key)
    return found


def only(given, usual):
    """Options that are described with their usual value alone."""
    for key in usual:
        if key in given and given[key] != usual[key]:
            raise KeyError(key)


class Residual(nn.Module):
    def __init__(self, section):
        super().__init__()
        given = options(section, ("depth", "strides", "out_indices", "frozen_stages", "groups", "base_width", "deep_stem", "avg_down", "num_stages"))
        only(given, {"num_stages": 4})
        name = "resnet" + str(given["depth"])
        if section["type"] == "ResNeXt":
            name = "resnext" + str(given["depth"]) + "_" + str(given.get("groups", 1)) + "x" + str(given.get("base_width", 4)) + "d"
        stride = 4
        for one in given.get("strides", (1, 2, 2, 2))[1:]:
            stride = stride * one
        net = ResNet(name, 3, stride, section.get("style", "pytorch") == "caffe")
        if section["type"] in ("ResNetV1c", "ResNetV1d") or given.get("deep_stem", False):
            net.conv1 = nn.Sequential(*conv(3, 32, 3), *conv(32, 32, 3), nn.Conv2d(32, 64, 3, padding=1, bias=False))
            net.conv1[0] = nn.Conv2d(3, 32, 3, 2, 1, bias=False)
        self.net = net
        self.chosen = given.get("out_indices", (0, 1, 2, 3))
        self.out_channels = [net.out_channels[2 + at] for at in self.chosen]
        frozen = [[net.conv1, net.bn1], [net.layer1], [net.layer2], [net.layer3], [net.layer4]]
        for parts in frozen[: given.get("frozen_stages", -1) + 1]:
            for part in parts:
                part.requires_grad_(False)

    def forward(self, x):
        found = self.net.features(x, 5)[2:]
        return [found[at] for at in self.chosen]


class ChannelLast(nn.Module):
    """The maps of chosen stages, each behind a norm."""

    def __init__(self, net, chosen, last, normed=True):
        super().__init__()
        self.net = net
        self.last = last
        self.chosen = chosen
        self.out_channels = [net.widths[at] for at in chosen]
        self.norms = nn.ModuleList([nn.LayerNorm(net.widths[at]) for at in chosen])

    def forward(self, x):
        levels = self.net.levels(x)
        found = []
        for norm, at in zip(self.norms, self.chosen):
            level = levels[at] if self.last else levels[at].permute(0, 2, 3, 1)
            found.append(norm(level).permute(0, 3, 1, 2))
        return found


def chosen_of(given, byDefault):
    chosen = given.get("out_indices", byDefault)
    return [chosen] if isinstance(chosen, int) else chosen


def sized(section, table):
    name = section["arch"]
    letters = {"t": "tiny", "s": "small", "b": "base", "l": "large"}
    return table[letters.get(name, name)]


def swin(section):
    known = ("embed_dims", "depths", "num_heads", "window_size", "out_indices", "mlp_ratio", "patch_size", "strides", "stage_cfgs")
    given = options(section, known)
    only(given, {"mlp_ratio": 4, "patch_size": 4})
    if given.get("strides", (4,))[0] != 4:
        raise KeyError("strides")
    # mmpretrain's window.
    blocks = options(options(given.get("stage_cfgs", {}), ("block_cfgs",)).get("block_cfgs", {}), ("window_size",))
    window = blocks.get("window_size", given.get("window_size", 7))
    if "arch" in section:
        dim, depths, heads = sized(section, SWINS)
    else:
        dim, depths = given.get("embed_dims", 96), given.get("depths", (2, 2, 6, 2))
        heads = given.get("num_heads", (3, 6, 12, 24))
    chosen = chosen_of(given, (3,) if "arch" in section else (0, 1, 2, 3))
    return ChannelLast(SwinTransformer(dim, depths, heads, window), chosen, True)


def convnext(section):
    given = options(section, ("out_indices",))
    return ChannelLast(ConvNeXt(*sized(section, CONVNEXTS)), chosen_of(given, (3,)), False)


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


def unet(section):
    given = options(section, ("base_channels", "num_stages", "strides", "enc_num_convs", "dec_num_convs"))
    return UNet(given.get("base_channels", 64), given.get("num_stages", 5))


def darknet(section):
    CHOSEN["act"] = section.get("act_cfg", {"type": "Swish"})["type"]
    given = options(section, ("deepen_factor", "widen_factor", "out_indices"))
    return CSPDarknet(given.get("deepen_factor", 1.0), given.get("widen_factor", 1.0), given.get("out_indices", (2, 3, 4)))


def cspnext(section):
    given = options(section, ("deepen_factor", "widen_factor", "out_indices", "expand_ratio", "channel_attention"))
    attends = given.get("channel_attention", True)
    return CSPNeXt(given["deepen_factor"], given["widen_factor"], given.get("out_indices", (2, 3, 4)), attends)


BACKBONES = {
    "ResNet": Residual,
    "ResNetV1c": Residual,
    "ResNetV1d": Residual,
    "ResNeXt": Residual,
    "SwinTransformer": swin,
    "ConvNeXt": convnext,
    "UNet": unet,
    "CSPDarknet": darknet,
    "CSPNeXt": cspnext,
}


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
}
LAYERS = ("channels", "num_convs", "concat_input", "c1_channels", "kernel_size")


def decoder(section, sizes):
    given = options(section, LAYERS + ("num_classes", "dilations", "c1_in_channels", "out_channels"))
    layers = {key: given[key] for key in LAYERS if key in given}
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
        for section in [model["decode_head"]] + sections:
            at = section.get("in_index", -1)
            # The low levels of a head beside the last one's.
            taken = range(len(sizes)) if isinstance(at, list) or "c1_channels" in section else [at]
            self.taken.append(taken)
            self.heads.append(decoder(section, [sizes[level] for level in taken]))

    def forward(self, x):
        features = self.backbone(x)
        found = []
        for taken, head in zip(self.taken, self.heads):
            found.append(head([features[level] for level in taken]))
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
}


def build(model):
    return MODELS[model["type"]](model)
