# Networks of MONAI 1.6.1 (networks/nets/unet.py, segresnet.py), with their blocks. Read by Headroom's interpreter of
# shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F

CONV = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}
BATCH = {1: nn.BatchNorm1d, 2: nn.BatchNorm2d, 3: nn.BatchNorm3d}
INSTANCE = {1: nn.InstanceNorm1d, 2: nn.InstanceNorm2d, 3: nn.InstanceNorm3d}


def named(given):
    if isinstance(given, (list, tuple)):
        return given[0].lower(), given[1]
    return given.lower(), {}


def norm_of(norm, dims, channels):
    name, given = named(norm)
    if name == "batch":
        return BATCH[dims](channels)
    if name == "group":
        return nn.GroupNorm(given["num_groups"], channels, affine=given.get("affine", True))
    if name == "instance":
        return INSTANCE[dims](channels, affine=given.get("affine", False))
    raise KeyError(name)


def act_of(act):
    name, given = named(act)
    if name == "prelu":
        return nn.PReLU()
    if name == "leakyrelu":
        return nn.LeakyReLU(inplace=given.get("inplace", False))
    if name == "relu":
        return nn.ReLU(inplace=given.get("inplace", False))
    return nn.GELU()


def convolution(dims, inputs, outputs, stride, kernel, act, norm, dropout, bias, only, transposed):
    if transposed:
        conv = TRANSPOSED[dims](inputs, outputs, kernel, stride, (kernel - 1) // 2, stride - 1, bias=bias)
    else:
        conv = CONV[dims](inputs, outputs, kernel, stride, (kernel - 1) // 2, bias=bias)
    parts = [conv]
    if not only:
        parts.append(norm_of(norm, dims, outputs))
        if dropout:
            parts.append(nn.Dropout(dropout))
        parts.append(act_of(act))
    return nn.Sequential(*parts)


class ResidualUnit(nn.Module):
    def __init__(self, dims, inputs, outputs, stride, kernel, units, act, norm, dropout, bias, last_only):
        super().__init__()
        parts = []
        for at in range(units):
            only = last_only and at == units - 1
            taken, step = (inputs, stride) if at == 0 else (outputs, 1)
            parts.append(convolution(dims, taken, outputs, step, kernel, act, norm, dropout, bias, only, False))
        self.conv = nn.Sequential(*parts)
        self.residual = None
        if stride != 1 or inputs != outputs:
            own = 1 if stride == 1 else kernel
            self.residual = CONV[dims](inputs, outputs, own, stride, (own - 1) // 2, bias=bias)

    def forward(self, x):
        rest = x if self.residual is None else self.residual(x)
        return self.conv(x) + rest


class Level(nn.Module):
    def __init__(self, down, below, up):
        super().__init__()
        self.down = down
        self.below = below
        self.up = up

    def forward(self, x):
        x = self.down(x)
        return self.up(torch.cat([x, self.below(x)], dim=1))


class UNet(nn.Module):
    def __init__(
        self,
        spatial_dims,
        in_channels,
        out_channels,
        channels,
        strides,
        kernel_size=3,
        up_kernel_size=3,
        num_res_units=0,
        act="PRELU",
        norm="INSTANCE",
        dropout=0.0,
        bias=True,
        adn_ordering="NDA",
    ):
        super().__init__()
        self.dims = spatial_dims
        self.kernel = kernel_size
        self.up_kernel = up_kernel_size
        self.units = num_res_units
        self.rest = (act, norm, dropout, bias)
        self.model = self.level(in_channels, out_channels, list(channels), list(strides), True)

    def level(self, inputs, outputs, channels, strides, is_top):
        width = channels[0]
        if len(channels) > 2:
            below = self.level(width, width, channels[1:], strides[1:], False)
            taken = 2 * width
        else:
            below = self.down(width, channels[1], 1)
            taken = width + channels[1]
        return Level(self.down(inputs, width, strides[0]), below, self.up(taken, outputs, strides[0], is_top))

    def down(self, inputs, outputs, stride):
        act, norm, dropout, bias = self.rest
        if self.units > 0:
            return ResidualUnit(
                self.dims, inputs, outputs, stride, self.kernel, self.units, act, norm, dropout, bias, False
            )
        return convolution(
            self.dims, inputs, outputs, stride, self.kernel, act, norm, dropout, bias, False, False
        )

    def up(self, inputs, outputs, stride, is_top):
        act, norm, dropout, bias = self.rest
        only = is_top and self.units == 0
        conv = convolution(
            self.dims, inputs, outputs, stride, self.up_kernel, act, norm, dropout, bias, only, True
        )
        if self.units == 0:
            return conv
        unit = ResidualUnit(self.dims, outputs, outputs, 1, self.kernel, 1, act, norm, dropout, bias, is_top)
        return nn.Sequential(conv, unit)

    def forward(self, x):
        return self.model(x)


def plain(dims, inputs, outputs, kernel=3, stride=1, bias=False):
    return CONV[dims](inputs, outputs, kernel, stride, (kernel - 1) // 2, bias=bias)


class ResBlock(nn.Module):
    def __init__(self, dims, channels, norm, act):
        super().__init__()
        self.norm1 = norm_of(norm, dims, channels)
        self.norm2 = norm_of(norm, dims, channels)
        self.act = act_of(act)
        self.conv1 = plain(dims, channels, channels)
        self.conv2 = plain(dims, channels, channels)

    def forward(self, x):
        y = self.conv1(self.act(self.norm1(x)))
        return self.conv2(self.act(self.norm2(y))) + x


class SegResNet(nn.Module):
    def __init__(
        self,
        spatial_dims=3,
        init_filters=8,
        in_channels=1,
        out_channels=2,
        dropout_prob=None,
        act=("RELU", {"inplace": True}),
        norm=("GROUP", {"num_groups": 8}),
        norm_name="",
        num_groups=8,
        use_conv_final=True,
        blocks_down=(1, 2, 2, 4),
        blocks_up=(1, 1, 1),
        upsample_mode="nontrainable",
    ):
        super().__init__()
        dims = spatial_dims
        self.first = plain(dims, in_channels, init_filters)
        whole = {1: nn.Dropout, 2: nn.Dropout2d, 3: nn.Dropout3d}
        self.dropout = whole[dims](dropout_prob) if dropout_prob else None
        self.downs = nn.ModuleList()
        for at, count in enumerate(blocks_down):
            width = init_filters * 2**at
            parts = [plain(dims, width // 2, width, 3, 2)] if at > 0 else []
            parts.extend([ResBlock(dims, width, norm, act) for _ in range(count)])
            self.downs.append(nn.Sequential(*parts))
        self.shrinks = nn.ModuleList()
        self.grows = nn.ModuleList()
        self.ups = nn.ModuleList()
        for at, count in enumerate(blocks_up):
            width = init_filters * 2 ** (len(blocks_up) - at)
            self.shrinks.append(plain(dims, width, width // 2, 1))
            if upsample_mode == "deconv":
                self.grows.append(TRANSPOSED[dims](width // 2, width // 2, 2, 2))
            else:
                self.grows.append(nn.Upsample(scale_factor=2))
            self.ups.append(nn.Sequential(*[ResBlock(dims, width // 2, norm, act) for _ in range(count)]))
        self.final = nn.Sequential(
            norm_of(norm, dims, init_filters), act_of(act), plain(dims, init_filters, out_channels, 1, 1, True)
        )
        self.ends = use_conv_final

    def forward(self, x):
        x = self.first(x)
        if self.dropout is not None:
            x = self.dropout(x)
        found = []
        for down in self.downs:
            x = down(x)
            found.append(x)
        for at, up in enumerate(self.ups):
            x = up(self.grows[at](self.shrinks[at](x)) + found[len(found) - 2 - at])
        return self.final(x) if self.ends else x
