# Networks of segmentation_models_pytorch 0.6.0 (decoders/*/model.py), over the backbones and decoders beside it.
# Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch.nn as nn
import torch.nn.functional as F

from backbones import backbone
from segmentation_decoders import DeepLabDecoder, DeepLabPlusDecoder, FPNDecoder, LinknetDecoder, PSPDecoder, SegformerDecoder, UnetDecoder, UnetPlusPlusDecoder


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


def Segformer(
    encoder_name="resnet34",
    encoder_depth=5,
    encoder_weights="imagenet",
    decoder_segmentation_channels=256,
    in_channels=3,
    classes=1,
    activation=None,
    upsampling=4,
    aux_params=None,
):
    encoder = backbone(encoder_name, in_channels)
    decoder = SegformerDecoder(encoder.out_channels[: encoder_depth + 1], decoder_segmentation_channels)
    return Segmenter(encoder, encoder_depth, decoder, decoder_segmentation_channels, classes, 1, upsampling)


ARCHITECTURES = {
    "unet": Unet,
    "unetplusplus": UnetPlusPlus,
    "linknet": Linknet,
    "fpn": FPN,
    "pspnet": PSPNet,
    "deeplabv3": DeepLabV3,
    "deeplabv3plus": DeepLabV3Plus,
    "segformer": Segformer,
}


def create_model(arch, encoder_name="resnet34", encoder_weights="imagenet", in_channels=3, classes=1, **kwargs):
    make = ARCHITECTURES[arch.lower().replace("+", "plus").replace("_", "")]
    return make(
        encoder_name=encoder_name, encoder_weights=encoder_weights, in_channels=in_channels, classes=classes, **kwargs
    )
