# Classifiers and segmenters of torchvision 0.29.2 (models/*.py), with the attributes that programs read and replace.
# Read by Headroom's interpreter of shapes, which knows torch's layers. `get_model` notes the name for what can't be read.
import torch
import torch.nn as nn
import torch.nn.functional as F

from backbones import VGG, DenseNet, EfficientNet, MobileNetV2, Squeeze, conv_norm, rounded
from backbones import ResNet as ResNetTrunk
from known import get_model
from segmentation_decoders import DeepLabDecoder
from vision_transformers import CONVNEXTS, SWINS, VITS, ConvNeXt, SwinTransformer, VisionTransformer


class ResNet(ResNetTrunk):
    def __init__(self, name, num_classes=1000):
        super().__init__(name)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(self.out_channels[-1], num_classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.avgpool(self.features(x, 5)[-1]), 1))


class Features(nn.Module):
    """A trunk that programs take as one part."""

    def __init__(self, trunk, last):
        super().__init__()
        self.trunk = trunk
        self.last = last

    def forward(self, x):
        return self.last(self.trunk.features(x, 5)[-1])


class Classifier(nn.Module):
    def __init__(self, features, classifier, size=1):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d(size)
        self.classifier = classifier

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def dense(inputs, inner, outputs, act, p):
    return nn.Sequential(nn.Linear(inputs, inner), act, nn.Dropout(p), nn.Linear(inner, outputs))


def large_head(inputs, num_classes):
    return nn.Sequential(
        nn.Linear(inputs, 4096), nn.ReLU(True), nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(),
        nn.Linear(4096, num_classes),
    )  # fmt: skip


def vgg(name, num_classes):
    layers = []
    channels = 3
    for count, outputs in zip(VGG[name.replace("_bn", "")], (64, 128, 256, 512, 512)):
        for _ in range(count):
            layers.append(nn.Conv2d(channels, outputs, 3, padding=1))
            if name.endswith("_bn"):
                layers.append(nn.BatchNorm2d(outputs))
            layers.append(nn.ReLU(inplace=True))
            channels = outputs
        layers.append(nn.MaxPool2d(2, 2))
    return Classifier(nn.Sequential(*layers), large_head(512 * 7 * 7, num_classes), 7)


def alex(num_classes):
    layers = []
    for inputs, outputs, kernel, stride, padding, pools in (
        (3, 64, 11, 4, 2, True),
        (64, 192, 5, 1, 2, True),
        (192, 384, 3, 1, 1, False),
        (384, 256, 3, 1, 1, False),
        (256, 256, 3, 1, 1, True),
    ):
        layers = layers + [nn.Conv2d(inputs, outputs, kernel, stride, padding), nn.ReLU(inplace=True)]
        if pools:
            layers.append(nn.MaxPool2d(3, 2))
    head = nn.Sequential(
        nn.Dropout(), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, 4096),
        nn.ReLU(inplace=True), nn.Linear(4096, num_classes),
    )  # fmt: skip
    return Classifier(nn.Sequential(*layers), head, 6)


def densenet(name, num_classes):
    trunk = DenseNet(name)
    return Classifier(Features(trunk, nn.ReLU(inplace=True)), nn.Linear(trunk.out_channels[-1], num_classes))


def conv_act(inputs, outputs, kernel, stride, act):
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), act)


def efficientnet(name, num_classes):
    trunk = EfficientNet(name)
    wide = trunk.head[1].num_features
    stem = nn.Sequential(trunk.stem[0], trunk.stem[1], trunk.act)
    head = nn.Sequential(trunk.head[0], trunk.head[1], trunk.act)
    features = nn.Sequential(stem, *trunk.stages, head)
    return Classifier(features, nn.Sequential(nn.Dropout(0.2, inplace=True), nn.Linear(wide, num_classes)))


def mobile_v2(num_classes):
    trunk = MobileNetV2("mobilenet_v2")
    blocks = [block for stage in trunk.stages for block in stage]
    stem = nn.Sequential(trunk.stem[0], trunk.stem[1], trunk.act)
    features = nn.Sequential(stem, *blocks, nn.Sequential(trunk.head[0], trunk.head[1], trunk.act))
    made = Classifier(features, nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, num_classes)))
    made.last_channel = 1280
    return made


class MobileBlock(nn.Module):
    def __init__(self, inputs, kernel, inner, outputs, squeeze, hard, stride):
        super().__init__()
        act = nn.Hardswish() if hard else nn.ReLU(inplace=True)
        layers = []
        if inner != inputs:
            layers.append(conv_act(inputs, inner, 1, 1, act))
        conv = nn.Conv2d(inner, inner, kernel, stride, kernel // 2, groups=inner, bias=False)
        layers.append(nn.Sequential(conv, nn.BatchNorm2d(inner), act))
        if squeeze:
            layers.append(Squeeze(inner, rounded(inner // 4, 1), nn.ReLU()))
        layers.append(conv_norm(inner, outputs, 1))
        self.block = nn.Sequential(*layers)
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.block(x)
        return x + y if self.adds else y


# Kernel, inner channels, outputs, squeeze, hard swish, stride.
MOBILE_V3 = {
    "large": (
        (3, 16, 16, False, False, 1), (3, 64, 24, False, False, 2), (3, 72, 24, False, False, 1),
        (5, 72, 40, True, False, 2), (5, 120, 40, True, False, 1), (5, 120, 40, True, False, 1),
        (3, 240, 80, False, True, 2), (3, 200, 80, False, True, 1), (3, 184, 80, False, True, 1),
        (3, 184, 80, False, True, 1), (3, 480, 112, True, True, 1), (3, 672, 112, True, True, 1),
        (5, 672, 160, True, True, 2), (5, 960, 160, True, True, 1), (5, 960, 160, True, True, 1),
    ),
    "small": (
        (3, 16, 16, True, False, 2), (3, 72, 24, False, False, 2), (3, 88, 24, False, False, 1),
        (5, 96, 40, True, True, 2), (5, 240, 40, True, True, 1), (5, 240, 40, True, True, 1),
        (5, 120, 48, True, True, 1), (5, 144, 48, True, True, 1), (5, 288, 96, True, True, 2),
        (5, 576, 96, True, True, 1), (5, 576, 96, True, True, 1),
    ),
}  # fmt: skip


def mobile_v3(name, num_classes):
    layers = [conv_act(3, 16, 3, 2, nn.Hardswish())]
    channels = 16
    for kernel, inner, outputs, squeeze, hard, stride in MOBILE_V3[name]:
        layers.append(MobileBlock(channels, kernel, inner, outputs, squeeze, hard, stride))
        channels = outputs
    layers.append(conv_act(channels, 6 * channels, 1, 1, nn.Hardswish()))
    wide = 1280 if name == "large" else 1024
    return Classifier(nn.Sequential(*layers), dense(6 * channels, wide, num_classes, nn.Hardswish(), 0.2))


class ConvNextClassifier(nn.Module):
    def __init__(self, name, num_classes):
        super().__init__()
        self.features = ConvNeXt(*CONVNEXTS[name])
        wide = self.features.widths[-1]
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.LayerNorm(wide), nn.Flatten(1), nn.Linear(wide, num_classes))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features.levels(x)[-1]).flatten(1))


class Swin(nn.Module):
    def __init__(self, name, second, num_classes):
        super().__init__()
        self.features = SwinTransformer(*SWINS[name], 8 if second else 7, second)
        self.norm = nn.LayerNorm(self.features.widths[-1])
        self.head = nn.Linear(self.features.widths[-1], num_classes)

    def forward(self, x):
        return self.head(self.norm(self.features.levels(x)[-1]).mean([1, 2]))


class Vit(nn.Module):
    def __init__(self, name, patch, num_classes):
        super().__init__()
        dim, depth, heads = VITS[name]
        self.encoder = VisionTransformer(dim, depth, heads, patch)
        self.hidden_dim = dim
        self.heads = nn.Sequential(nn.Linear(dim, num_classes))
        self.heads.head = self.heads[0]

    def forward(self, x):
        return self.heads(self.encoder.sequence(x)[:, 0])


def maker(name, make, *given):
    def build(weights=None, progress=True, num_classes=1000, pretrained=False, **others):
        get_model(name)
        return make(*given, num_classes)

    return build


resnet18 = maker("resnet18", ResNet, "resnet18")
resnet34 = maker("resnet34", ResNet, "resnet34")
resnet50 = maker("resnet50", ResNet, "resnet50")
resnet101 = maker("resnet101", ResNet, "resnet101")
resnet152 = maker("resnet152", ResNet, "resnet152")
resnext50_32x4d = maker("resnext50_32x4d", ResNet, "resnext50_32x4d")
resnext101_32x8d = maker("resnext101_32x8d", ResNet, "resnext101_32x8d")
wide_resnet50_2 = maker("wide_resnet50_2", ResNet, "wide_resnet50_2")
wide_resnet101_2 = maker("wide_resnet101_2", ResNet, "wide_resnet101_2")
vgg11 = maker("vgg11", vgg, "vgg11")
vgg13 = maker("vgg13", vgg, "vgg13")
vgg16 = maker("vgg16", vgg, "vgg16")
vgg19 = maker("vgg19", vgg, "vgg19")
vgg11_bn = maker("vgg11_bn", vgg, "vgg11_bn")
vgg13_bn = maker("vgg13_bn", vgg, "vgg13_bn")
vgg16_bn = maker("vgg16_bn", vgg, "vgg16_bn")
vgg19_bn = maker("vgg19_bn", vgg, "vgg19_bn")
densenet121 = maker("densenet121", densenet, "densenet121")
densenet161 = maker("densenet161", densenet, "densenet161")
densenet169 = maker("densenet169", densenet, "densenet169")
densenet201 = maker("densenet201", densenet, "densenet201")
efficientnet_b0 = maker("efficientnet_b0", efficientnet, "b0")
efficientnet_b1 = maker("efficientnet_b1", efficientnet, "b1")
efficientnet_b2 = maker("efficientnet_b2", efficientnet, "b2")
efficientnet_b3 = maker("efficientnet_b3", efficientnet, "b3")
efficientnet_b4 = maker("efficientnet_b4", efficientnet, "b4")
efficientnet_b5 = maker("efficientnet_b5", efficientnet, "b5")
efficientnet_b6 = maker("efficientnet_b6", efficientnet, "b6")
efficientnet_b7 = maker("efficientnet_b7", efficientnet, "b7")
mobilenet_v3_large = maker("mobilenet_v3_large", mobile_v3, "large")
mobilenet_v3_small = maker("mobilenet_v3_small", mobile_v3, "small")
convnext_tiny = maker("convnext_tiny", ConvNextClassifier, "tiny")
convnext_small = maker("convnext_small", ConvNextClassifier, "small")
convnext_base = maker("convnext_base", ConvNextClassifier, "base")
convnext_large = maker("convnext_large", ConvNextClassifier, "large")
swin_t = maker("swin_t", Swin, "tiny", False)
swin_s = maker("swin_s", Swin, "small", False)
swin_b = maker("swin_b", Swin, "base", False)
swin_v2_t = maker("swin_v2_t", Swin, "tiny", True)
swin_v2_s = maker("swin_v2_s", Swin, "small", True)
swin_v2_b = maker("swin_v2_b", Swin, "base", True)
vit_b_16 = maker("vit_b_16", Vit, "base", 16)
vit_b_32 = maker("vit_b_32", Vit, "base", 32)
vit_l_16 = maker("vit_l_16", Vit, "large", 16)
vit_l_32 = maker("vit_l_32", Vit, "large", 32)
alexnet = maker("alexnet", alex)
mobilenet_v2 = maker("mobilenet_v2", mobile_v2)


def fully(inputs, outputs):
    inner = inputs // 4
    conv = nn.Conv2d(inputs, inner, 3, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(inner), nn.ReLU(), nn.Dropout(0.1), nn.Conv2d(inner, outputs, 1))


class Last(nn.Module):
    """A decoder of all features over the last of them."""

    def __init__(self, decoder, outputs):
        super().__init__()
        self.decoder = decoder
        self.last = nn.Conv2d(256, outputs, 1)

    def forward(self, x):
        return self.last(self.decoder([x]))


class Segmenter(nn.Module):
    def __init__(self, name, head, classes, aux):
        super().__init__()
        self.backbone = ResNetTrunk(name, 3, 8)
        sizes = self.backbone.out_channels
        deep = head == "deeplab"
        self.classifier = Last(DeepLabDecoder(sizes[-1], 256, False, 0.5), classes) if deep else fully(sizes[-1], classes)
        self.aux_classifier = fully(sizes[-2], classes) if aux else None

    def forward(self, x):
        features = self.backbone.features(x, 5)
        found = {"out": F.interpolate(self.classifier(features[-1]), size=x.shape[2:])}
        if self.aux_classifier is not None:
            found["aux"] = F.interpolate(self.aux_classifier(features[-2]), size=x.shape[2:])
        return found


def segmenter(name, head):
    def build(pretrained=False, progress=True, num_classes=21, aux_loss=None, weights=None, weights_backbone=None, **others):
        # Its own weights bring the second head.
        return Segmenter(name, head, num_classes, aux_loss or pretrained or weights is not None)

    return build


deeplabv3_resnet50 = segmenter("resnet50", "deeplab")
deeplabv3_resnet101 = segmenter("resnet101", "deeplab")
fcn_resnet50 = segmenter("resnet50", "fcn")
fcn_resnet101 = segmenter("resnet101", "fcn")
