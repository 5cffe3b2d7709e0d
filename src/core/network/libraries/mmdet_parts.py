# Parts of mmdetection 3.3.0 (models/backbones/{csp_darknet,cspnext}.py, necks/{yolox_pafpn,cspnext_pafpn}.py, layers/csp_layer.py,
# dense_heads/{anchor,anchor_free,yolox,rtmdet}_head.py). Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Swish(nn.Module):
    """mmcv's own, of two operations."""

    def forward(self, x):
        return x * torch.sigmoid(x)


# What a config says of all its parts.
CHOSEN = {"act": "SiLU"}


def module(inputs, outputs, kernel, stride=1, groups=1):
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), Swish() if CHOSEN["act"] == "Swish" else nn.SiLU(inplace=True))


class Bottleneck(nn.Module):
    def __init__(self, channels, adds, nextly):
        super().__init__()
        if nextly:
            second = nn.Sequential(module(channels, channels, 5, 1, channels), module(channels, channels, 1))
            self.body = nn.Sequential(module(channels, channels, 3), second)
        else:
            self.body = nn.Sequential(module(channels, channels, 1), module(channels, channels, 3))
        self.adds = adds

    def forward(self, x):
        y = self.body(x)
        return y + x if self.adds else y


class ChannelAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Conv2d(channels, channels, 1)
        self.act = nn.Hardsigmoid(inplace=True)

    def forward(self, x):
        return x * self.act(self.fc(self.pool(x)))


class CSPLayer(nn.Module):
    def __init__(self, inputs, outputs, count, adds, nextly=False, attends=False, ratio=0.5):
        super().__init__()
        inner = int(outputs * ratio)
        self.main_conv = module(inputs, inner, 1)
        self.short_conv = module(inputs, inner, 1)
        self.final_conv = module(2 * inner, outputs, 1)
        self.blocks = nn.Sequential(*[Bottleneck(inner, adds, nextly) for _ in range(count)])
        self.attention = ChannelAttention(2 * inner) if attends else nn.Identity()

    def forward(self, x):
        short = self.short_conv(x)
        return self.final_conv(self.attention(torch.cat((self.blocks(self.main_conv(x)), short), dim=1)))


class Pooling(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = module(inputs, inputs // 2, 1)
        self.pools = nn.ModuleList([nn.MaxPool2d(size, 1, size // 2) for size in (5, 9, 13)])
        self.conv2 = module(inputs // 2 * 4, outputs, 1)

    def forward(self, x):
        x = self.conv1(x)
        return self.conv2(torch.cat([x] + [pool(x) for pool in self.pools], dim=1))


class Focus(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.conv = module(12, outputs, 3)
        self.in_channels = 3

    def forward(self, x):
        return self.conv(torch.cat((x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]), dim=1))


# Inputs, outputs, blocks, adds, pyramid pooling (arch P5).
STAGES = ((64, 128, 3, True, False), (128, 256, 9, True, False), (256, 512, 9, True, False), (512, 1024, 3, False, True))
NEXT_STAGES = ((64, 128, 3, True, False), (128, 256, 6, True, False), (256, 512, 6, True, False), (512, 1024, 3, False, True))


class CSPTrunk(nn.Module):
    def __init__(self, stem, stages, deepen, widen, chosen, nextly, attends):
        super().__init__()
        self.stem = stem
        self.stages = nn.ModuleList()
        self.chosen = chosen
        self.out_channels = []
        for at, (inputs, outputs, count, adds, pools) in enumerate(stages):
            inputs, outputs = int(inputs * widen), int(outputs * widen)
            parts = [module(inputs, outputs, 3, 2)]
            if pools:
                parts.append(Pooling(outputs, outputs))
            parts.append(CSPLayer(outputs, outputs, max(round(count * deepen), 1), adds, nextly, attends))
            self.stages.append(nn.Sequential(*parts))
            if at + 1 in chosen:
                self.out_channels.append(outputs)

    def forward(self, x):
        x = self.stem(x)
        found = []
        for at, stage in enumerate(self.stages):
            x = stage(x)
            if at + 1 in self.chosen:
                found.append(x)
        return found


def CSPDarknet(deepen, widen, chosen):
    return CSPTrunk(Focus(int(64 * widen)), STAGES, deepen, widen, chosen, False, False)


def CSPNeXt(deepen, widen, chosen, attends):
    half, whole = int(64 * widen // 2), int(64 * widen)
    stem = nn.Sequential(module(3, half, 3, 2), module(half, half, 3), module(half, whole, 3))
    return CSPTrunk(stem, NEXT_STAGES, deepen, widen, chosen, True, attends)


class PathAggregation(nn.Module):
    def __init__(self, sizes, outputs, count, nextly, ratio, kernel):
        super().__init__()
        self.reduce = nn.ModuleList()
        self.down = nn.ModuleList()
        self.shrink = nn.ModuleList()
        self.up = nn.ModuleList()
        for at in range(len(sizes) - 1, 0, -1):
            self.reduce.append(module(sizes[at], sizes[at - 1], 1))
            self.down.append(CSPLayer(2 * sizes[at - 1], sizes[at - 1], count, False, nextly, False, ratio))
        for at in range(len(sizes) - 1):
            self.shrink.append(module(sizes[at], sizes[at], 3, 2))
            self.up.append(CSPLayer(2 * sizes[at], sizes[at + 1], count, False, nextly, False, ratio))
        self.outs = nn.ModuleList([module(size, outputs, kernel) for size in sizes])
        self.out_channels = [outputs for _ in sizes]

    def forward(self, features):
        inner = [features[-1]]
        last = len(features) - 1
        for at in range(last, 0, -1):
            high = self.reduce[last - at](inner[0])
            inner[0] = high
            inner.insert(0, self.down[last - at](torch.cat([F.interpolate(high, scale_factor=2), features[at - 1]], 1)))
        found = [inner[0]]
        for at in range(last):
            found.append(self.up[at](torch.cat([self.shrink[at](found[-1]), inner[at + 1]], 1)))
        return [out(x) for out, x in zip(self.outs, found)]


def YOLOXPAFPN(sizes, outputs, count):
    return PathAggregation(sizes, outputs, count, False, 0.5, 1)


def CSPNeXtPAFPN(sizes, outputs, count, ratio):
    return PathAggregation(sizes, outputs, count, True, ratio, 3)


class DenseHead(nn.Module):
    """Two towers over every level: classes, boxes, and one more output."""

    def __init__(self, inputs, wide, stacked, classes, boxes, others, normed, levels):
        super().__init__()
        # One factor of the boxes per level.
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(levels if normed else 0)])
        self.cls_convs = self.tower(inputs, wide, stacked, normed)
        self.reg_convs = self.tower(inputs, wide, stacked, normed)
        self.cls = nn.Conv2d(wide, classes, 3, padding=1)
        self.reg = nn.Conv2d(wide, boxes, 3, padding=1)
        self.other = nn.Conv2d(wide, others, 3, padding=1) if others > 0 else None

    def tower(self, inputs, wide, stacked, normed):
        layers = []
        for at in range(stacked):
            layers.append(nn.Conv2d(inputs if at == 0 else wide, wide, 3, padding=1, bias=not normed))
            if normed:
                layers.append(nn.GroupNorm(32, wide))
            layers.append(nn.ReLU(inplace=True))
        return nn.Sequential(*layers)

    def forward(self, features):
        found = []
        for at, x in enumerate(features):
            box = self.reg_convs(x)
            reg = self.reg(box)
            found = found + [self.cls(self.cls_convs(x)), reg * self.scales[at] if len(self.scales) > 0 else reg]
            if self.other is not None:
                found.append(self.other(box))
        return found


class SeparateHead(nn.Module):
    """Towers of each level's own; `shares`: the convolutions are one, their norms are not."""

    def __init__(self, inputs, wide, stacked, classes, levels, has_objects, shares):
        super().__init__()
        self.towers = nn.ModuleList()
        self.cls = nn.ModuleList()
        self.reg = nn.ModuleList()
        self.obj = nn.ModuleList()
        self.has_objects = has_objects
        for level in range(levels):
            towers = []
            for side in range(2):
                layers = [module(inputs if at == 0 else wide, wide, 3) for at in range(stacked)]
                if shares and level > 0:
                    for at in range(stacked):
                        layers[at][0] = self.towers[0][side][at][0]
                towers.append(nn.Sequential(*layers))
            self.towers.append(nn.ModuleList(towers))
            self.cls.append(nn.Conv2d(wide, classes, 1))
            self.reg.append(nn.Conv2d(wide, 4, 1))
            self.obj.append(nn.Conv2d(wide, 1, 1) if has_objects else nn.Identity())

    def forward(self, features):
        found = []
        for at, x in enumerate(features):
            classes, boxes = self.towers[at][0](x), self.towers[at][1](x)
            found = found + [self.cls[at](classes), self.reg[at](boxes)]
            if self.has_objects:
                found.append(self.obj[at](boxes))
        return found


def separate_head(inputs, wide, stacked, classes, levels, has_objects, shares):
    return SeparateHead(inputs, wide, stacked, classes, levels, has_objects, shares)
