# Sizes of image networks, as torchvision 0.29.2 (models/resnet.py, mobilenetv2.py, vgg.py, densenet.py) and
# efficientnet_pytorch 0.7.1 build them. Read by Headroom's interpreter of shapes, which knows torch's layers.
import math

import torch
import torch.nn as nn

from mm_backbones import MixTransformer


def conv_norm(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)
    )


class Squeeze(nn.Module):
    def __init__(self, channels, squeezed, act):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.reduce = nn.Conv2d(channels, squeezed, 1)
        self.act = act
        self.expand = nn.Conv2d(squeezed, channels, 1)
        self.gate = nn.Sigmoid()

    def forward(self, x):
        return x * self.gate(self.expand(self.act(self.reduce(self.pool(x)))))


class ResidualBlock(nn.Module):
    def __init__(self, inputs, width, stride, bottleneck, groups, base, squeeze, early):
        super().__init__()
        outputs = width * 4 if bottleneck else width
        inner = width * base * groups // 64 if bottleneck else width
        relu = nn.ReLU(inplace=True)
        if bottleneck:
            self.body = nn.Sequential(
                nn.Conv2d(inputs, inner, 1, stride if early else 1, bias=False),
                nn.BatchNorm2d(inner),
                relu,
                nn.Conv2d(inner, inner, 3, 1 if early else stride, 1, groups=groups, bias=False),
                nn.BatchNorm2d(inner),
                relu,
                nn.Conv2d(inner, outputs, 1, bias=False),
                nn.BatchNorm2d(outputs),
            )
        else:
            self.body = nn.Sequential(
                nn.Conv2d(inputs, inner, 3, stride, 1, bias=False),
                nn.BatchNorm2d(inner),
                relu,
                nn.Conv2d(inner, outputs, 3, 1, 1, bias=False),
                nn.BatchNorm2d(outputs),
            )
        self.squeeze = Squeeze(outputs, outputs // 16, relu) if squeeze else None
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = conv_norm(inputs, outputs, 1, stride)
        self.relu = relu

    def forward(self, x):
        y = self.body(x)
        if self.squeeze is not None:
            y = self.squeeze(y)
        y = y + (x if self.downsample is None else self.downsample(x))
        return self.relu(y)


# Blocks of each stage, bottlenecks, groups, width per group, squeeze and excitation.
RESNETS = {
    "resnet18": ((2, 2, 2, 2), False, 1, 64, False),
    "resnet34": ((3, 4, 6, 3), False, 1, 64, False),
    "resnet50": ((3, 4, 6, 3), True, 1, 64, False),
    "resnet101": ((3, 4, 23, 3), True, 1, 64, False),
    "resnet152": ((3, 8, 36, 3), True, 1, 64, False),
    "resnext50_32x4d": ((3, 4, 6, 3), True, 32, 4, False),
    "resnext101_32x4d": ((3, 4, 23, 3), True, 32, 4, False),
    "resnext101_32x8d": ((3, 4, 23, 3), True, 32, 8, False),
    "resnext101_32x16d": ((3, 4, 23, 3), True, 32, 16, False),
    "wide_resnet50_2": ((3, 4, 6, 3), True, 1, 128, False),
    "wide_resnet101_2": ((3, 4, 23, 3), True, 1, 128, False),
    "se_resnet50": ((3, 4, 6, 3), True, 1, 64, True),
    "se_resnet101": ((3, 4, 23, 3), True, 1, 64, True),
    "se_resnet152": ((3, 8, 36, 3), True, 1, 64, True),
    "se_resnext50_32x4d": ((3, 4, 6, 3), True, 32, 4, True),
    "se_resnext101_32x4d": ((3, 4, 23, 3), True, 32, 4, True),
}


class ResNet(nn.Module):
    """`early`: Caffe's weights shrink in the first convolution of a block."""

    def __init__(self, name, in_channels=3, output_stride=32, early=False):
        super().__init__()
        blocks, bottleneck, groups, base, squeeze = RESNETS[name]
        self.conv1 = nn.Conv2d(in_channels, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = 64
        stages = []
        for at, count in enumerate(blocks):
            width = 64 * 2**at
            # A stride that would shrink further is a dilation.
            first = 1 if at == 0 or 4 * 2**at > output_stride else 2
            stage = []
            for index in range(count):
                stride = first if index == 0 else 1
                stage.append(ResidualBlock(channels, width, stride, bottleneck, groups, base, squeeze, early))
                channels = width * 4 if bottleneck else width
            stages.append(nn.Sequential(*stage))
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        grows = 4 if bottleneck else 1
        self.out_channels = [in_channels, 64, 64 * grows, 128 * grows, 256 * grows, 512 * grows]

    def features(self, x, depth):
        found = [x]
        x = self.relu(self.bn1(self.conv1(x)))
        found.append(x)
        x = self.maxpool(x)
        for stage in [self.layer1, self.layer2, self.layer3, self.layer4][: depth - 1]:
            x = stage(x)
            found.append(x)
        return found


# Width and depth (efficientnet_pytorch/utils.py).
EFFICIENT = {
    "b0": (1.0, 1.0),
    "b1": (1.0, 1.1),
    "b2": (1.1, 1.2),
    "b3": (1.2, 1.4),
    "b4": (1.4, 1.8),
    "b5": (1.6, 2.2),
    "b6": (1.8, 2.6),
    "b7": (2.0, 3.1),
}
# Blocks, kernel, stride, expansion, channels of each stage.
STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)


def rounded(channels, width):
    channels = channels * width
    found = max(8, int(channels + 4) // 8 * 8)
    return int(found + 8 if found < 0.9 * channels else found)


class InvertedBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride, expansion, squeeze, act):
        super().__init__()
        inner = inputs * expansion
        self.act = act
        self.expand = conv_norm(inputs, inner, 1) if expansion != 1 else None
        self.depthwise = conv_norm(inner, inner, kernel, stride, inner)
        self.squeeze = Squeeze(inner, max(1, inputs // 4), act) if squeeze else None
        self.project = conv_norm(inner, outputs, 1)
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        y = x if self.expand is None else self.act(self.expand(x))
        y = self.act(self.depthwise(y))
        if self.squeeze is not None:
            y = self.squeeze(y)
        y = self.project(y)
        return x + y if self.adds else y


class EfficientNet(nn.Module):
    def __init__(self, name, in_channels=3, output_stride=32):
        super().__init__()
        width, depth = EFFICIENT[name]
        self.act = nn.SiLU()
        channels = rounded(32, width)
        self.out_channels = [in_channels, channels]
        self.stem = conv_norm(in_channels, channels, 3, 2)
        self.stages = nn.ModuleList()
        reached = 2
        for at, (count, kernel, stride, expansion, outputs) in enumerate(STAGES):
            outputs = rounded(outputs, width)
            stage = []
            if stride == 2:
                reached = reached * 2
                stride = 1 if reached > output_stride else 2
            for index in range(math.ceil(count * depth)):
                stage.append(
                    InvertedBlock(channels, outputs, kernel, stride if index == 0 else 1, expansion, True, self.act)
                )
                channels = outputs
            self.stages.append(nn.Sequential(*stage))
            if at in (1, 2, 4, 6):
                self.out_channels.append(outputs)
        self.head = conv_norm(channels, rounded(1280, width), 1)

    def features(self, x, depth):
        found = [x]
        x = self.act(self.stem(x))
        found.append(x)
        for at, stage in enumerate(self.stages):
            if len(found) > depth:
                break
            x = stage(x)
            if at in (1, 2, 4, 6):
                found.append(x)
        return found


# Expansion, channels, blocks, stride.
MOBILE = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class MobileNetV2(nn.Module):
    def __init__(self, name, in_channels=3, output_stride=32):
        super().__init__()
        self.act = nn.ReLU6(inplace=True)
        self.stem = conv_norm(in_channels, 32, 3, 2)
        self.stages = nn.ModuleList()
        channels = 32
        reached = 2
        for expansion, outputs, count, stride in MOBILE:
            stage = []
            if stride == 2:
                reached = reached * 2
                stride = 1 if reached > output_stride else 2
            for index in range(count):
                step = stride if index == 0 else 1
                stage.append(InvertedBlock(channels, outputs, 3, step, expansion, False, self.act))
                channels = outputs
            self.stages.append(nn.Sequential(*stage))
        self.head = conv_norm(channels, 1280, 1)
        self.out_channels = [in_channels, 16, 24, 32, 96, 1280]

    def features(self, x, depth):
        found = [x]
        x = self.act(self.stem(x))
        for at, stage in enumerate(self.stages):
            if len(found) > depth:
                break
            x = stage(x)
            if at in (0, 1, 2, 4):
                found.append(x)
        if depth > 4:
            found.append(self.act(self.head(x)))
        return found


VGG = {"vgg11": (1, 1, 2, 2, 2), "vgg13": (2, 2, 2, 2, 2), "vgg16": (2, 2, 3, 3, 3), "vgg19": (2, 2, 4, 4, 4)}


class Vgg(nn.Module):
    def __init__(self, name, in_channels=3, output_stride=32):
        super().__init__()
        self.stages = nn.ModuleList()
        self.pool = nn.MaxPool2d(2, 2)
        channels = in_channels
        for count, outputs in zip(VGG[name.replace("_bn", "")], (64, 128, 256, 512, 512)):
            stage = []
            for _ in range(count):
                stage.append(nn.Conv2d(channels, outputs, 3, padding=1))
                if name.endswith("_bn"):
                    stage.append(nn.BatchNorm2d(outputs))
                stage.append(nn.ReLU(inplace=True))
                channels = outputs
            self.stages.append(nn.Sequential(*stage))
        self.out_channels = [64, 128, 256, 512, 512, 512]

    def features(self, x, depth):
        found = []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
            x = self.pool(x)
        found.append(x)
        return found[: depth + 1]


DENSE = {
    "densenet121": (64, 32, (6, 12, 24, 16)),
    "densenet169": (64, 32, (6, 12, 32, 32)),
    "densenet201": (64, 32, (6, 12, 48, 32)),
    "densenet161": (96, 48, (6, 12, 36, 24)),
}


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth):
        super().__init__()
        self.body = nn.Sequential(
            nn.BatchNorm2d(inputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(inputs, 4 * growth, 1, bias=False),
            nn.BatchNorm2d(4 * growth),
            nn.ReLU(inplace=True),
            nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
        )

    def forward(self, found):
        return self.body(torch.cat(found, 1))


class DenseNet(nn.Module):
    def __init__(self, name, in_channels=3, output_stride=32):
        super().__init__()
        channels, growth, counts = DENSE[name]
        self.conv0 = nn.Conv2d(in_channels, channels, 7, 2, 3, bias=False)
        self.norm0 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.out_channels = [in_channels, channels]
        self.blocks = nn.ModuleList()
        self.norms = nn.ModuleList()
        self.shrinks = nn.ModuleList()
        for at, count in enumerate(counts):
            self.blocks.append(nn.ModuleList([DenseLayer(channels + growth * i, growth) for i in range(count)]))
            channels = channels + growth * count
            self.norms.append(nn.BatchNorm2d(channels))
            self.out_channels.append(channels)
            if at < 3:
                self.shrinks.append(nn.Sequential(nn.Conv2d(channels, channels // 2, 1, bias=False), nn.AvgPool2d(2, 2)))
                channels = channels // 2

    def features(self, x, depth):
        found = [x]
        x = self.relu(self.norm0(self.conv0(x)))
        found.append(x)
        x = self.pool(x)
        for at, block in enumerate(self.blocks):
            if len(found) > depth:
                break
            parts = [x]
            for layer in block:
                parts.append(layer(parts))
            x = self.norms[at](torch.cat(parts, 1))
            if at < 3:
                x = self.relu(x)
            found.append(x)
            if at < 3:
                x = self.shrinks[at](x)
        return found


# Width of the first stage, layers.
MIXED = {
    "mit_b0": (32, (2, 2, 2, 2)),
    "mit_b1": (64, (2, 2, 2, 2)),
    "mit_b2": (64, (3, 4, 6, 3)),
    "mit_b3": (64, (3, 4, 18, 3)),
    "mit_b4": (64, (3, 8, 27, 3)),
    "mit_b5": (64, (3, 6, 40, 3)),
}


class MixEncoder(nn.Module):
    """SegFormer's encoder, which has no map of half the size."""

    def __init__(self, name, in_channels):
        super().__init__()
        width, depths = MIXED[name]
        self.net = MixTransformer([width * at for at in (1, 2, 5, 8)], depths, (1, 2, 5, 8), in_channels=in_channels)
        self.out_channels = [in_channels, 0] + self.net.out_channels

    def features(self, x, depth):
        empty = torch.zeros(x.shape[0], 0, x.shape[2] // 2, x.shape[3] // 2)
        return [x, empty] + self.net(x)


def backbone(name, in_channels=3, output_stride=32):
    name = name.lower().replace("tu-", "").replace("timm-", "").replace("efficientnet-", "efficientnet_")
    if name in RESNETS:
        return ResNet(name, in_channels, output_stride)
    if name.startswith("efficientnet_b"):
        return EfficientNet(name.replace("efficientnet_", ""), in_channels, output_stride)
    if name == "mobilenet_v2":
        return MobileNetV2(name, in_channels, output_stride)
    if name.startswith("vgg"):
        return Vgg(name, in_channels, output_stride)
    if name.startswith("densenet"):
        return DenseNet(name, in_channels, output_stride)
    if name in MIXED and output_stride == 32:
        return MixEncoder(name, in_channels)
    raise KeyError(name)
