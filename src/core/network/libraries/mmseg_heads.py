# Decode heads and U-Net of mmsegmentation 1.2.2 (models/backbones/unet.py, decode_heads/*.py).
# Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv(inputs, outputs, kernel, groups=1):
    return [
        nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    ]


def separable(inputs, outputs):
    return conv(inputs, inputs, 3, inputs) + conv(inputs, outputs, 1)


class FCNHead(nn.Module):
    def __init__(self, sizes, channels, num_convs=2, concat_input=True, c1_channels=48, kernel_size=3):
        super().__init__()
        layers = []
        for at in range(num_convs):
            layers = layers + conv(sizes[-1] if at == 0 else channels, channels, kernel_size)
        self.convs = nn.Sequential(*layers)
        self.last = nn.Sequential(*conv(sizes[-1] + channels, channels, 3)) if concat_input else None

    def forward(self, features):
        y = self.convs(features[-1])
        return y if self.last is None else self.last(torch.cat([features[-1], y], dim=1))


class Pyramid(nn.Module):
    def __init__(self, inputs, channels):
        super().__init__()
        self.pools = nn.ModuleList(
            [nn.Sequential(nn.AdaptiveAvgPool2d(size), *conv(inputs, channels, 1)) for size in (1, 2, 3, 6)]
        )
        self.last = nn.Sequential(*conv(inputs + 4 * channels, channels, 3))

    def forward(self, x):
        pooled = [F.interpolate(pool(x), size=x.shape[2:]) for pool in self.pools]
        return self.last(torch.cat([x] + pooled, dim=1))


class PSPHead(nn.Module):
    def __init__(self, sizes, channels, num_convs=2, concat_input=True, c1_channels=48, kernel_size=3):
        super().__init__()
        self.body = Pyramid(sizes[-1], channels)

    def forward(self, features):
        return self.body(features[-1])


class ASPPHead(nn.Module):
    def __init__(self, sizes, channels, is_separable=False):
        super().__init__()
        make = separable if is_separable else lambda inputs, outputs: conv(inputs, outputs, 3)
        self.paths = nn.ModuleList(
            [nn.Sequential(*conv(sizes[-1], channels, 1))] + [nn.Sequential(*make(sizes[-1], channels)) for _ in range(3)]
        )
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), *conv(sizes[-1], channels, 1))
        self.last = nn.Sequential(*conv(5 * channels, channels, 3))

    def forward(self, features):
        x = features[-1]
        pooled = F.interpolate(self.pool(x), size=x.shape[2:])
        return self.last(torch.cat([pooled] + [path(x) for path in self.paths], dim=1))


class DepthwiseSeparableASPPHead(nn.Module):
    def __init__(self, sizes, channels, num_convs=2, concat_input=True, c1_channels=48, kernel_size=3):
        super().__init__()
        self.aspp = ASPPHead(sizes, channels, True)
        self.low = nn.Sequential(*conv(sizes[0], c1_channels, 1))
        self.last = nn.Sequential(*separable(channels + c1_channels, channels), *separable(channels, channels))

    def forward(self, features):
        low = self.low(features[0])
        x = F.interpolate(self.aspp(features), size=low.shape[2:])
        return self.last(torch.cat([x, low], dim=1))


class UPerHead(nn.Module):
    def __init__(self, sizes, channels, num_convs=2, concat_input=True, c1_channels=48, kernel_size=3):
        super().__init__()
        self.pyramid = Pyramid(sizes[-1], channels)
        self.laterals = nn.ModuleList([nn.Sequential(*conv(size, channels, 1)) for size in sizes[:-1]])
        self.smooth = nn.ModuleList([nn.Sequential(*conv(channels, channels, 3)) for _ in sizes[:-1]])
        self.last = nn.Sequential(*conv(len(sizes) * channels, channels, 3))

    def forward(self, features):
        levels = [lateral(feature) for lateral, feature in zip(self.laterals, features)]
        levels.append(self.pyramid(features[-1]))
        for at in (2, 1, 0):
            levels[at] = levels[at] + F.interpolate(levels[at + 1], size=levels[at].shape[2:])
        smoothed = [one(level) for one, level in zip(self.smooth, levels)] + [levels[-1]]
        sides = smoothed[0].shape[2:]
        return self.last(torch.cat([F.interpolate(one, size=sides) for one in smoothed], dim=1))


def joined(features):
    return torch.cat([features[0]] + [F.interpolate(x, size=features[0].shape[2:]) for x in features[1:]], dim=1)


class SegformerHead(nn.Module):
    def __init__(self, sizes, channels):
        super().__init__()
        self.convs = nn.ModuleList([nn.Sequential(*conv(size, channels, 1)) for size in sizes])
        self.fusion_conv = nn.Sequential(*conv(channels * len(sizes), channels, 1))

    def forward(self, features):
        return self.fusion_conv(joined([one(x) for one, x in zip(self.convs, features)]))


class LightHamHead(nn.Module):
    """`rank`: bases of the matrix that is factored; only its last step is differentiated."""

    def __init__(self, sizes, channels, ham_channels=512, rank=64):
        super().__init__()
        self.rank = rank
        self.squeeze = nn.Sequential(*conv(sum(sizes), ham_channels, 1))
        self.ham_in = nn.Conv2d(ham_channels, ham_channels, 1)
        self.ham_out = nn.Sequential(*conv(ham_channels, ham_channels, 1)[:2])
        self.align = nn.Sequential(*conv(ham_channels, channels, 1))

    def forward(self, features):
        x = self.squeeze(joined(features))
        y = F.relu(self.ham_in(x), inplace=True).flatten(2)
        bases = torch.zeros(y.shape[0], y.shape[1], self.rank)
        found = y.transpose(1, 2) @ bases
        found = found / (torch.zeros(y.shape[0], y.shape[2], self.rank) + 1)
        y = (bases @ found.transpose(1, 2)).reshape(x.shape[0], x.shape[1], x.shape[2], x.shape[3])
        return self.align(F.relu(x + self.ham_out(y), inplace=True))


class UNet(nn.Module):
    def __init__(self, width, stages):
        super().__init__()
        sizes = [width * 2**at for at in range(stages)]
        self.out_channels = sizes[::-1]
        self.pool = nn.MaxPool2d(2)
        self.encoder = nn.ModuleList()
        for inputs, outputs in zip([3] + sizes, sizes):
            self.encoder.append(nn.Sequential(*conv(inputs, outputs, 3), *conv(outputs, outputs, 3)))
        self.ups = nn.ModuleList([nn.Sequential(*conv(2 * size, size, 1)) for size in sizes[:-1]])
        self.decoder = nn.ModuleList(
            [nn.Sequential(*conv(2 * size, size, 3), *conv(size, size, 3)) for size in sizes[:-1]]
        )

    def forward(self, x):
        skips = []
        for at, stage in enumerate(self.encoder):
            x = stage(self.pool(x) if at > 0 else x)
            skips.append(x)
        found = [x]
        for at in range(len(self.ups) - 1, -1, -1):
            x = self.ups[at](F.interpolate(x, scale_factor=2))
            x = self.decoder[at](torch.cat([skips[at], x], dim=1))
            found.append(x)
        return found
