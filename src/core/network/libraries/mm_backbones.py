# HRNet (mmpose 1.3.2, mmsegmentation 1.2.2, mmdetection 3.3.0: models/backbones/hrnet.py), MSCAN and SegFormer's encoder
# (mmsegmentation: mscan.py, mit.py). Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_norm(inputs, outputs, kernel=3, stride=1):
    return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs)]


class Block(nn.Module):
    def __init__(self, inputs, width, bottleneck):
        super().__init__()
        outputs = width * 4 if bottleneck else width
        relu = nn.ReLU(inplace=True)
        if bottleneck:
            layers = [*conv_norm(inputs, width, 1), relu, *conv_norm(width, width), relu, *conv_norm(width, outputs, 1)]
        else:
            layers = [*conv_norm(inputs, width), relu, *conv_norm(width, width)]
        self.body = nn.Sequential(*layers)
        self.downsample = nn.Sequential(*conv_norm(inputs, outputs, 1)) if inputs != outputs else None
        self.relu = relu

    def forward(self, x):
        return self.relu(self.body(x) + (x if self.downsample is None else self.downsample(x)))


def blocks(inputs, width, count, bottleneck):
    outputs = width * 4 if bottleneck else width
    return nn.Sequential(*[Block(inputs if at == 0 else outputs, width, bottleneck) for at in range(count)])


def shrinking(inputs, outputs, steps):
    """Steps of two of which only the last changes the channels."""
    layers = []
    for at in range(steps):
        last = at == steps - 1
        layers = layers + conv_norm(inputs, outputs if last else inputs, 3, 2) + ([] if last else [nn.ReLU(inplace=True)])
    return nn.Sequential(*layers)


class Exchange(nn.Module):
    """Branches of several sizes, each added to the others."""

    def __init__(self, widths, counts, bottleneck, outputs):
        super().__init__()
        grown = [width * (4 if bottleneck else 1) for width in widths]
        self.branches = nn.ModuleList([blocks(grown[at], width, counts[at], bottleneck) for at, width in enumerate(widths)])
        self.fuses = nn.ModuleList()
        self.outputs = outputs
        for to in range(outputs):
            row = nn.ModuleList()
            for at in range(len(widths)):
                if at > to:
                    row.append(nn.Sequential(*conv_norm(grown[at], grown[to], 1)))
                elif at < to:
                    row.append(shrinking(grown[at], grown[to], to - at))
                else:
                    row.append(nn.Identity())
            self.fuses.append(row)
        self.relu = nn.ReLU(inplace=False)

    def forward(self, levels):
        levels = [branch(x) for branch, x in zip(self.branches, levels)]
        found = []
        for to in range(self.outputs):
            y = 0
            for at, x in enumerate(levels):
                one = self.fuses[to][at](x)
                if at > to:
                    one = F.interpolate(one, size=levels[to].shape[2:])
                y = one if at == 0 else y + one
            found.append(self.relu(y))
        return found


class HRNet(nn.Module):
    def __init__(self, extra, every, in_channels=3):
        super().__init__()
        relu = nn.ReLU(inplace=True)
        self.stem = nn.Sequential(*conv_norm(in_channels, 64, 3, 2), relu, *conv_norm(64, 64, 3, 2), relu)
        first = extra["stage1"]
        grows = first["block"] == "BOTTLENECK"
        self.layer1 = blocks(64, first["num_channels"][0], first["num_blocks"][0], grows)
        before = [first["num_channels"][0] * (4 if grows else 1)]
        self.changes = nn.ModuleList()
        self.stages = nn.ModuleList()
        for name in ("stage2", "stage3", "stage4"):
            section = extra[name]
            bottleneck = section["block"] == "BOTTLENECK"
            widths = [width * (4 if bottleneck else 1) for width in section["num_channels"]]
            row = nn.ModuleList()
            for at, width in enumerate(widths):
                if at >= len(before):
                    steps = []
                    for step in range(at + 1 - len(before)):
                        outputs = width if step == at - len(before) else before[-1]
                        steps = steps + conv_norm(before[-1], outputs, 3, 2) + [nn.ReLU(inplace=True)]
                    row.append(nn.Sequential(*steps))
                elif before[at] != width:
                    row.append(nn.Sequential(*conv_norm(before[at], width), nn.ReLU(inplace=True)))
                else:
                    row.append(nn.Identity())
            self.changes.append(row)
            stage = []
            for at in range(section["num_modules"]):
                whole = name != "stage4" or every or at < section["num_modules"] - 1
                outputs = len(widths) if whole else 1
                stage.append(Exchange(section["num_channels"], section["num_blocks"], bottleneck, outputs))
            self.stages.append(nn.ModuleList(stage))
            before = widths
        self.out_channels = before if every else before[:1]

    def forward(self, x):
        levels = [self.layer1(self.stem(x))]
        for change, stage in zip(self.changes, self.stages):
            levels = [one(levels[min(at, len(levels) - 1)]) for at, one in enumerate(change)]
            for exchange in stage:
                levels = exchange(levels)
        return levels


def depthwise(dim, height, width):
    return nn.Conv2d(dim, dim, (height, width), padding=(height // 2, width // 2), groups=dim)


class MixMlp(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(dim, inner, 1), depthwise(inner, 3, 3), nn.GELU(), nn.Conv2d(inner, dim, 1))

    def forward(self, x):
        return self.body(x)


class ScaleAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj1 = nn.Conv2d(dim, dim, 1)
        self.act = nn.GELU()
        self.conv0 = depthwise(dim, 5, 5)
        self.strips = nn.ModuleList([nn.Sequential(depthwise(dim, 1, size), depthwise(dim, size, 1)) for size in (7, 11, 21)])
        self.conv3 = nn.Conv2d(dim, dim, 1)
        self.proj2 = nn.Conv2d(dim, dim, 1)

    def forward(self, x):
        y = self.act(self.proj1(x))
        found = self.conv0(y)
        total = found
        for strip in self.strips:
            total = total + strip(found)
        return self.proj2(self.conv3(total) * y) + x


class ScaleBlock(nn.Module):
    def __init__(self, dim, ratio):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(dim)
        self.attn = ScaleAttention(dim)
        self.norm2 = nn.BatchNorm2d(dim)
        self.mlp = MixMlp(dim, int(dim * ratio))
        self.scale1 = nn.Parameter(torch.ones(dim, 1, 1))
        self.scale2 = nn.Parameter(torch.ones(dim, 1, 1))

    def forward(self, x):
        x = x + self.scale1 * self.attn(self.norm1(x))
        return x + self.scale2 * self.mlp(self.norm2(x))


def map_norm(norm, x):
    return norm(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(x.shape[0], x.shape[1], x.shape[2], x.shape[3])


class MSCAN(nn.Module):
    def __init__(self, dims, ratios, depths):
        super().__init__()
        half = dims[0] // 2
        self.embeds = nn.ModuleList()
        self.stages = nn.ModuleList()
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for dim in dims])
        for at, dim in enumerate(dims):
            if at == 0:
                layers = [nn.Conv2d(3, half, 3, 2, 1), nn.BatchNorm2d(half), nn.GELU(), nn.Conv2d(half, dim, 3, 2, 1)]
            else:
                layers = [nn.Conv2d(dims[at - 1], dim, 3, 2, 1)]
            self.embeds.append(nn.Sequential(*layers, nn.BatchNorm2d(dim)))
            self.stages.append(nn.Sequential(*[ScaleBlock(dim, ratios[at]) for _ in range(depths[at])]))
        self.out_channels = dims

    def forward(self, x):
        found = []
        for embed, stage, norm in zip(self.embeds, self.stages, self.norms):
            x = map_norm(norm, stage(embed(x)))
            found.append(x)
        return found


class ReducedAttention(nn.Module):
    def __init__(self, dim, heads, ratio):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.proj = nn.Linear(dim, dim)
        self.sr = nn.Conv2d(dim, dim, ratio, ratio) if ratio > 1 else None
        self.norm = nn.LayerNorm(dim) if ratio > 1 else None

    def forward(self, x, sides):
        batch, count, dim = x.shape
        y = x
        if self.sr is not None:
            y = self.norm(self.sr(x.transpose(1, 2).reshape(batch, dim, *sides)).flatten(2).transpose(1, 2))
        q = self.q(x).reshape(batch, count, self.heads, -1).transpose(1, 2)
        kv = self.kv(y).reshape(batch, y.shape[1], 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = F.softmax(q @ kv[0].transpose(-2, -1) * self.heads, dim=-1)
        return self.proj((scores @ kv[1]).transpose(1, 2).reshape(batch, count, dim))


class MixBlock(nn.Module):
    def __init__(self, dim, heads, ratio, grows):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = ReducedAttention(dim, heads, ratio)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = MixMlp(dim, dim * grows)

    def forward(self, x):
        sides = x.shape[2:]
        y = x.flatten(2).transpose(1, 2)
        y = y + self.attn(self.norm1(y), sides)
        z = self.norm2(y).transpose(1, 2).reshape(x.shape[0], x.shape[1], *sides)
        return y.transpose(1, 2).reshape(x.shape[0], x.shape[1], *sides) + self.mlp(z)


class MixTransformer(nn.Module):
    def __init__(self, dims, depths, heads, patches=(7, 3, 3, 3), strides=(4, 2, 2, 2), ratios=(8, 4, 2, 1), grows=4, in_channels=3):
        super().__init__()
        self.embeds = nn.ModuleList()
        self.stages = nn.ModuleList()
        for at, dim in enumerate(dims):
            inputs = in_channels if at == 0 else dims[at - 1]
            self.embeds.append(nn.Conv2d(inputs, dim, patches[at], strides[at], patches[at] // 2))
            self.stages.append(nn.Sequential(*[MixBlock(dim, heads[at], ratios[at], grows) for _ in range(depths[at])]))
        self.starts = nn.ModuleList([nn.LayerNorm(dim) for dim in dims])
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for dim in dims])
        self.out_channels = dims

    def forward(self, x):
        found = []
        for embed, start, stage, norm in zip(self.embeds, self.starts, self.stages, self.norms):
            x = map_norm(norm, stage(map_norm(start, embed(x))))
            found.append(x)
        return found
