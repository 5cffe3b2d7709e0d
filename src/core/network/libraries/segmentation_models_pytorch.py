# Decoders of segmentation_models_pytorch 0.6.0 (decoders/*/decoder.py and model.py), over the backbones beside it.
# Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F

from backbones import backbone


def norm_of(use_norm, channels):
    kind = use_norm["type"] if isinstance(use_norm, dict) else use_norm
    if kind is False or kind == "identity":
        return nn.Identity()
    if kind == "instancenorm":
        return nn.InstanceNorm2d(channels)
    return nn.BatchNorm2d(channels)


class ConvReLU(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, use_norm=True):
        biased = use_norm is False or use_norm == "identity"
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=biased),
            norm_of(use_norm, outputs),
            nn.ReLU(inplace=True),
        )


class Attention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.channel = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, channels // 16, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels // 16, channels, 1),
            nn.Sigmoid(),
        )
        self.spatial = nn.Sequential(nn.Conv2d(channels, 1, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.channel(x) + x * self.spatial(x)


class UpBlock(nn.Module):
    def __init__(self, inputs, skip, outputs, use_norm, attention):
        super().__init__()
        self.conv1 = ConvReLU(inputs + skip, outputs, 3, use_norm)
        self.attention1 = Attention(inputs + skip) if attention == "scse" else None
        self.conv2 = ConvReLU(outputs, outputs, 3, use_norm)
        self.attention2 = Attention(outputs) if attention == "scse" else None

    def forward(self, x, skip=None):
        x = F.interpolate(x, scale_factor=2)
        if skip is not None:
            x = torch.cat([x, skip], dim=1)
            if self.attention1 is not None:
                x = self.attention1(x)
        x = self.conv2(self.conv1(x))
        return x if self.attention2 is None else self.attention2(x)


class UnetDecoder(nn.Module):
    def __init__(self, channels, widths, use_norm, attention, center):
        super().__init__()
        below = channels[1:][::-1]
        inputs = [below[0]] + list(widths[:-1])
        skips = list(below[1:]) + [0]
        self.center = None
        if center:
            self.center = nn.Sequential(
                ConvReLU(below[0], below[0], 3, use_norm), ConvReLU(below[0], below[0], 3, use_norm)
            )
        self.blocks = nn.ModuleList(
            [UpBlock(i, s, o, use_norm, attention) for i, s, o in zip(inputs, skips, widths)]
        )

    def forward(self, features):
        features = features[1:][::-1]
        x = features[0]
        if self.center is not None:
            x = self.center(x)
        for at, block in enumerate(self.blocks):
            x = block(x, features[at + 1] if at + 1 < len(features) else None)
        return x


class UnetPlusPlusDecoder(nn.Module):
    def __init__(self, channels, widths, use_norm, attention):
        super().__init__()
        below = channels[1:][::-1]
        inputs = [below[0]] + list(widths[:-1])
        skips = list(below[1:]) + [0]
        self.depth = len(inputs) - 1
        blocks = {}
        for layer in range(self.depth):
            for depth in range(layer + 1):
                if depth == 0:
                    taken, skip, outputs = inputs[layer], skips[layer] * (layer + 1), widths[layer]
                else:
                    taken, skip, outputs = skips[layer - 1], skips[layer] * (layer + 1 - depth), skips[layer]
                blocks[f"{depth}_{layer}"] = UpBlock(taken, skip, outputs, use_norm, attention)
        blocks[f"0_{self.depth}"] = UpBlock(inputs[-1], 0, widths[-1], use_norm, attention)
        self.blocks = nn.ModuleDict(blocks)

    def forward(self, features):
        features = features[1:][::-1]
        dense = {}
        for layer in range(self.depth):
            for depth in range(self.depth - layer):
                if layer == 0:
                    dense[f"{depth}_{depth}"] = self.blocks[f"{depth}_{depth}"](features[depth], features[depth + 1])
                else:
                    at = depth + layer
                    others = [dense[f"{i}_{at}"] for i in range(depth + 1, at + 1)]
                    skip = torch.cat(others + [features[at + 1]], dim=1)
                    dense[f"{depth}_{at}"] = self.blocks[f"{depth}_{at}"](dense[f"{depth}_{at - 1}"], skip)
        return self.blocks[f"0_{self.depth}"](dense[f"0_{self.depth - 1}"])


class LinknetDecoder(nn.Module):
    def __init__(self, channels, depth, use_norm):
        super().__init__()
        below = channels[1:][::-1] + [32]
        self.blocks = nn.ModuleList()
        for at in range(depth):
            inner = below[at] // 4
            self.blocks.append(
                nn.Sequential(
                    ConvReLU(below[at], inner, 1, use_norm),
                    nn.ConvTranspose2d(inner, inner, 4, 2, 1),
                    norm_of(use_norm, inner),
                    nn.ReLU(inplace=True),
                    ConvReLU(inner, below[at + 1], 1, use_norm),
                )
            )

    def forward(self, features):
        features = features[1:][::-1]
        x = features[0]
        for at, block in enumerate(self.blocks):
            x = block(x)
            if at + 1 < len(features):
                x = x + features[at + 1]
        return x


class PyramidConv(nn.Module):
    def __init__(self, inputs, outputs, grows):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.GroupNorm(32, outputs), nn.ReLU(inplace=True)
        )
        self.grows = grows

    def forward(self, x):
        x = self.body(x)
        return F.interpolate(x, scale_factor=2) if self.grows else x


class FPNDecoder(nn.Module):
    def __init__(self, channels, pyramid, segmentation, policy):
        super().__init__()
        self.policy = policy
        self.laterals = nn.ModuleList([nn.Conv2d(one, pyramid, 1) for one in channels[::-1][:4]])
        self.paths = nn.ModuleList()
        for count in (3, 2, 1, 0):
            path = [PyramidConv(pyramid, segmentation, count > 0)]
            for _ in range(1, count):
                path.append(PyramidConv(segmentation, segmentation, True))
            self.paths.append(nn.Sequential(*path))
        self.dropout = nn.Dropout2d(0.2, inplace=True)

    def forward(self, features):
        levels = []
        for lateral, feature in zip(self.laterals, features[::-1]):
            x = lateral(feature)
            if len(levels) > 0:
                x = F.interpolate(levels[-1], scale_factor=2) + x
            levels.append(x)
        parts = [path(level) for path, level in zip(self.paths, levels)]
        x = torch.cat(parts, dim=1) if self.policy == "cat" else torch.stack(parts).sum(dim=0)
        return self.dropout(x)


class PSPDecoder(nn.Module):
    def __init__(self, channels, outputs, use_norm):
        super().__init__()
        self.sizes = (1, 2, 3, 6)
        self.pools = nn.ModuleList(
            [
                nn.Sequential(nn.AdaptiveAvgPool2d(size), ConvReLU(channels, channels // 4, 1, size != 1 and use_norm))
                for size in self.sizes
            ]
        )
        self.conv = ConvReLU(2 * channels, outputs, 1, use_norm)
        self.dropout = nn.Dropout2d(0.2)

    def forward(self, features):
        x = features[-1]
        sides = x.shape[2:]
        x = torch.cat([F.interpolate(pool(x), size=sides) for pool in self.pools] + [x], dim=1)
        return self.dropout(self.conv(x))


def dilated(inputs, outputs, separable):
    if separable:
        return [
            nn.Conv2d(inputs, inputs, 3, padding=1, groups=inputs, bias=False),
            nn.Conv2d(inputs, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
        ]
    return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]


def pointwise(inputs, outputs):
    return [nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]


class ASPP(nn.Module):
    def __init__(self, inputs, outputs, separable, dropout):
        super().__init__()
        self.convs = nn.ModuleList(
            [nn.Sequential(*pointwise(inputs, outputs))]
            + [nn.Sequential(*dilated(inputs, outputs, separable)) for _ in range(3)]
        )
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), *pointwise(inputs, outputs))
        self.project = nn.Sequential(*pointwise(5 * outputs, outputs), nn.Dropout(dropout))

    def forward(self, x):
        pooled = F.interpolate(self.pool(x), size=x.shape[2:])
        return self.project(torch.cat([conv(x) for conv in self.convs] + [pooled], dim=1))


class DeepLabDecoder(nn.Module):
    def __init__(self, channels, outputs, separable, dropout):
        super().__init__()
        self.aspp = ASPP(channels, outputs, separable, dropout)
        self.body = nn.Sequential(
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
        )

    def forward(self, features):
        return self.body(self.aspp(features[-1]))


class DeepLabPlusDecoder(nn.Module):
    def __init__(self, channels, outputs, stride, separable, dropout):
        super().__init__()
        self.aspp = nn.Sequential(ASPP(channels[-1], outputs, separable, dropout), *dilated(outputs, outputs, True))
        self.grows = 4 if stride == 16 else 2
        self.block1 = nn.Sequential(*pointwise(channels[2], 48))
        self.block2 = nn.Sequential(*dilated(48 + outputs, outputs, True))

    def forward(self, features):
        x = F.interpolate(self.aspp(features[-1]), scale_factor=self.grows)
        return self.block2(torch.cat([x, self.block1(features[2])], dim=1))


class Segmenter(nn.Module):
    def __init__(self, encoder, depth, decoder, inputs, classes, kernel=3, grows=1):
        super().__init__()
        self.encoder = encoder
        self.depth = depth
        self.decoder = decoder
        self.segmentation_head = nn.Conv2d(inputs, classes, kernel, padding=kernel // 2)
        self.grows = grows

    def forward(self, x):
        y = self.segmentation_head(self.decoder(self.encoder.features(x, self.depth)))
        return F.interpolate(y, scale_factor=self.grows) if self.grows > 1 else y


def Unet(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    decoder_use_norm=True,
    decoder_channels=(256, 128, 64, 32, 16),
    decoder_attention_type=None,
    decoder_interpolation="nearest",
    in_channels=3,
    classes=1,
    activation=None,
    aux_params=None,
    decoder_use_batchnorm=None,
):
    use_norm = decoder_use_norm if decoder_use_batchnorm is None else decoder_use_batchnorm
    encoder = backbone(encoder_name, in_channels)
    channels = encoder.out_channels[: encoder_depth + 1]
    center = encoder_name.startswith("vgg")
    decoder = UnetDecoder(channels, decoder_channels, use_norm, decoder_attention_type, center)
    return Segmenter(encoder, encoder_depth, decoder, decoder_channels[-1], classes)


def UnetPlusPlus(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    decoder_use_norm=True,
    decoder_channels=(256, 128, 64, 32, 16),
    decoder_attention_type=None,
    decoder_interpolation="nearest",
    in_channels=3,
    classes=1,
    activation=None,
    aux_params=None,
    decoder_use_batchnorm=None,
):
    use_norm = decoder_use_norm if decoder_use_batchnorm is None else decoder_use_batchnorm
    encoder = backbone(encoder_name, in_channels)
    channels = encoder.out_channels[: encoder_depth + 1]
    decoder = UnetPlusPlusDecoder(channels, decoder_channels, use_norm, decoder_attention_type)
    return Segmenter(encoder, encoder_depth, decoder, decoder_channels[-1], classes)


def Linknet(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    decoder_use_norm=True,
    in_channels=3,
    classes=1,
    activation=None,
    aux_params=None,
    decoder_use_batchnorm=None,
):
    use_norm = decoder_use_norm if decoder_use_batchnorm is None else decoder_use_batchnorm
    encoder = backbone(encoder_name, in_channels)
    decoder = LinknetDecoder(encoder.out_channels[: encoder_depth + 1], encoder_depth, use_norm)
    return Segmenter(encoder, encoder_depth, decoder, 32, classes, 1)


def FPN(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    decoder_pyramid_channels=256,
    decoder_segmentation_channels=128,
    decoder_merge_policy="add",
    decoder_dropout=0.2,
    decoder_interpolation="nearest",
    in_channels=3,
    classes=1,
    activation=None,
    upsampling=4,
    aux_params=None,
):
    encoder = backbone(encoder_name, in_channels)
    channels = encoder.out_channels[: encoder_depth + 1]
    decoder = FPNDecoder(channels, decoder_pyramid_channels, decoder_segmentation_channels, decoder_merge_policy)
    inputs = decoder_segmentation_channels * (4 if decoder_merge_policy == "cat" else 1)
    return Segmenter(encoder, encoder_depth, decoder, inputs, classes, 1, upsampling)


def PSPNet(
    encoder_name="resnet34",
    encoder_weights="imagenet",
    encoder_depth=3,
    psp_out_channels=512,
    decoder_use_norm=True,
    psp_dropout=0.2,
    in_channels=3,
    classes=1,
    activation=None,
    upsampling=8,
    aux_params=None,
    psp_use_batchnorm=True,
):
    encoder = backbone(encoder_name, in_channels)
    decoder = PSPDecoder(encoder.out_channels[encoder_depth], psp_out_channels, decoder_use_norm)
    return Segmenter(encoder, encoder_depth, decoder, psp_out_channels, classes, 3, upsampling)


def DeepLabV3(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    encoder_output_stride=8,
    decoder_channels=256,
    decoder_atrous_rates=(12, 24, 36),
    decoder_aspp_separable=False,
    decoder_aspp_dropout=0.5,
    in_channels=3,
    classes=1,
    activation=None,
    upsampling=None,
    aux_params=None,
):
    encoder = backbone(encoder_name, in_channels, encoder_output_stride)
    inputs = encoder.out_channels[encoder_depth]
    decoder = DeepLabDecoder(inputs, decoder_channels, decoder_aspp_separable, decoder_aspp_dropout)
    return Segmenter(encoder, encoder_depth, decoder, decoder_channels, classes, 1, upsampling or encoder_output_stride)


def DeepLabV3Plus(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    encoder_output_stride=16,
    decoder_channels=256,
    decoder_atrous_rates=(12, 24, 36),
    decoder_aspp_separable=True,
    decoder_aspp_dropout=0.5,
    in_channels=3,
    classes=1,
    activation=None,
    upsampling=4,
    aux_params=None,
):
    encoder = backbone(encoder_name, in_channels, encoder_output_stride)
    channels = encoder.out_channels[: encoder_depth + 1]
    stride, separable = encoder_output_stride, decoder_aspp_separable
    decoder = DeepLabPlusDecoder(channels, decoder_channels, stride, separable, decoder_aspp_dropout)
    return Segmenter(encoder, encoder_depth, decoder, decoder_channels, classes, 1, upsampling)


ARCHITECTURES = {
    "unet": Unet,
    "unetplusplus": UnetPlusPlus,
    "linknet": Linknet,
    "fpn": FPN,
    "pspnet": PSPNet,
    "deeplabv3": DeepLabV3,
    "deeplabv3plus": DeepLabV3Plus,
}


def create_model(arch, encoder_name="resnet34", encoder_weights="imagenet", in_channels=3, classes=1, **kwargs):
    make = ARCHITECTURES[arch.lower().replace("+", "plus").replace("_", "")]
    return make(
        encoder_name=encoder_name, encoder_weights=encoder_weights, in_channels=in_channels, classes=classes, **kwargs
    )
