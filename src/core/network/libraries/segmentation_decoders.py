# Decoders of segmentation_models_pytorch 0.6.0 (decoders/*/decoder.py).
# Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F


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


class SegformerDecoder(nn.Module):
    def __init__(self, channels, outputs):
        super().__init__()
        self.sizes = [size for size in channels[1:] if size > 0]
        self.mlps = nn.ModuleList([nn.Linear(size, outputs) for size in self.sizes])
        self.fuse = nn.Sequential(*pointwise(outputs * len(self.sizes), outputs))
        # Maps become rows by a copy; a transformer has rows.
        self.copies = channels[1] > 0

    def forward(self, features):
        sides = [side // 4 for side in features[0].shape[2:]]
        found = []
        for mlp, x in zip(self.mlps, features[-len(self.sizes) :]):
            rows = x.flatten(2).transpose(1, 2)
            y = mlp(torch.cat([rows]) if self.copies else rows).transpose(1, 2)
            found.append(F.interpolate(y.reshape(x.shape[0], -1, x.shape[2], x.shape[3]), size=sides))
        return self.fuse(torch.cat(found[::-1], dim=1))
