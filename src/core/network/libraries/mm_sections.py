# The backbones of mmsegmentation 1.2.2, mmdetection 3.3.0, mmpretrain 1.2.0 and mmpose 1.3.2 by their sections.
# Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch.nn as nn

from backbones import DenseNet, ResNet
from mm_backbones import HRNet, MSCAN, MixTransformer
from mmdet_parts import CHOSEN, CSPDarknet, CSPNeXt
from mmseg_heads import UNet, conv
from timm import create_model
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
    "bbox_head", "head", "arch", "anchor_generator", "dilation", "pool_scales", "spp_kernal_sizes", "score_voting", "covariance_type", "decoder", "metainfo",
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


def hrnet(section):
    # mmpose's stays at its highest resolution unless its last stage says so.
    given = options(section, ("extra", "multiscale_output"))
    extra = given["extra"]
    return HRNet(extra, extra["stage4"].get("multiscale_output", given.get("multiscale_output", "frozen_stages" in section or not POSES[0])))


POSES = [False]


def mscan(section):
    given = options(section, ("embed_dims", "mlp_ratios", "depths", "attention_kernel_sizes", "attention_kernel_paddings", "num_stages"))
    only(given, {"num_stages": 4, "attention_kernel_sizes": [5, [1, 7], [1, 11], [1, 21]]})
    return MSCAN(given["embed_dims"], given["mlp_ratios"], given["depths"])


def mit(section):
    known = ("embed_dims", "num_layers", "num_heads", "patch_sizes", "strides", "sr_ratios", "out_indices", "mlp_ratio", "num_stages")
    given = options(section, known)
    only(given, {"num_stages": 4, "out_indices": (0, 1, 2, 3)})
    heads = given.get("num_heads", (1, 2, 4, 8))
    dims = [given.get("embed_dims", 64) * count for count in heads]
    depths = given.get("num_layers", (3, 4, 6, 3))
    patches, strides = given.get("patch_sizes", (7, 3, 3, 3)), given.get("strides", (4, 2, 2, 2))
    return MixTransformer(dims, depths, heads, patches, strides, given.get("sr_ratios", (8, 4, 2, 1)), given.get("mlp_ratio", 4))


class Whole(nn.Module):
    """A classifier's features, as its library builds it."""

    def __init__(self, net, read, width):
        super().__init__()
        self.net = net
        self.read = read
        self.act = nn.ReLU(inplace=True)
        self.out_channels = [width]

    def forward(self, x):
        return [self.act(self.net.features(x, 5)[-1]) if self.read == "features" else self.net.forward_features(x)]


def densenet(section):
    options(section, ())
    net = DenseNet("densenet" + str(section["arch"]))
    return Whole(net, "features", net.out_channels[-1])


def of_timm(section):
    given = options(section, ("model_name", "exportable"))
    net = create_model(given["model_name"], num_classes=0, global_pool="")
    # Others have their channels last, or rows of tokens.
    if getattr(net, "kind", "map") != "map":
        raise KeyError(given["model_name"])
    return Whole(net, "forward_features", net.num_features)


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
    "HRNet": hrnet,
    "MSCAN": mscan,
    "MixVisionTransformer": mit,
    "DenseNet": densenet,
    "TIMMBackbone": of_timm,
}
