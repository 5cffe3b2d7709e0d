# Sizes of image transformers and ConvNeXt, as torchvision 0.29.2 (models/swin_transformer.py, vision_transformer.py, convnext.py),
# timm 1.0 and mmpretrain 1.2 build them. Read by Headroom's interpreter of shapes, which knows torch's layers.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Mlp(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.fc1 = nn.Linear(dim, inner)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(inner, dim)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


def attended(q, k, v, bias, scale):
    found = q @ k.transpose(-2, -1)
    if scale is not None:
        found = found * scale
    return F.softmax(found + bias, dim=-1) @ v


class WindowAttention(nn.Module):
    def __init__(self, dim, heads, window, second):
        super().__init__()
        self.heads = heads
        self.window = window
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.second = second
        if second:
            self.logit_scale = nn.Parameter(torch.ones(heads, 1, 1))
            self.cpb_mlp = nn.Sequential(nn.Linear(2, 512), nn.ReLU(inplace=True), nn.Linear(512, heads, bias=False))
        else:
            self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))

    def forward(self, x):
        batch, height, width, dim = x.shape
        size = self.window
        x = F.pad(x, (0, 0, 0, -width % size, 0, -height % size))
        padded = x.shape
        x = x.reshape(-1, size * size, dim)
        qkv = self.qkv(x).reshape(-1, size * size, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        if self.second:
            q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
            self.cpb_mlp(torch.zeros(2 * size - 1, 2 * size - 1, 2))
        else:
            q = q * (dim // self.heads) ** -0.5
        bias = torch.zeros(self.heads, size * size, size * size)
        x = attended(q, k, v, bias, self.logit_scale if self.second else None)
        x = self.proj(x.transpose(1, 2).reshape(padded[0], padded[1], padded[2], dim))
        return x[:, :height, :width]


class SwinBlock(nn.Module):
    def __init__(self, dim, heads, window, ratio, second):
        super().__init__()
        self.second = second
        self.norm1 = nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, heads, window, second)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = Mlp(dim, int(dim * ratio))

    def forward(self, x):
        if self.second:
            x = x + self.norm1(self.attn(x))
            return x + self.norm2(self.mlp(x))
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Module):
    def __init__(self, dim, second):
        super().__init__()
        self.second = second
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = nn.LayerNorm(2 * dim if second else 4 * dim)

    def forward(self, x):
        batch, height, width, dim = x.shape
        x = F.pad(x, (0, 0, 0, width % 2, 0, height % 2))
        height, width = x.shape[1] // 2, x.shape[2] // 2
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], dim=-1)
        return self.norm(self.reduction(x)) if self.second else self.reduction(self.norm(x))


class SwinTransformer(nn.Module):
    def __init__(self, dim, depths, heads, window, second=False, in_channels=3, ratio=4, patch=4):
        super().__init__()
        self.patch_embed = nn.Conv2d(in_channels, dim, patch, patch)
        self.patch_norm = nn.LayerNorm(dim)
        self.stages = nn.ModuleList()
        self.merges = nn.ModuleList()
        for at, depth in enumerate(depths):
            width = dim * 2**at
            self.stages.append(nn.Sequential(*[SwinBlock(width, heads[at], window, ratio, second) for _ in range(depth)]))
            if at < len(depths) - 1:
                self.merges.append(PatchMerging(width, second))
        self.widths = [dim * 2**at for at in range(len(depths))]

    def levels(self, x):
        x = self.patch_norm(self.patch_embed(x).permute(0, 2, 3, 1))
        found = []
        for at, stage in enumerate(self.stages):
            x = stage(x)
            found.append(x)
            if at < len(self.merges):
                x = self.merges[at](x)
        return found


# Width, layers and heads of each stage.
SWINS = {
    "tiny": (96, (2, 2, 6, 2), (3, 6, 12, 24)),
    "small": (96, (2, 2, 18, 2), (3, 6, 12, 24)),
    "base": (128, (2, 2, 18, 2), (4, 8, 16, 32)),
    "large": (192, (2, 2, 18, 2), (6, 12, 24, 48)),
}


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        batch, length, dim = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        # Fused attention keeps its inputs and its result, but no scores.
        x = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2])
        return self.proj(x.transpose(1, 2).reshape(batch, length, dim))


class Block(nn.Module):
    def __init__(self, dim, heads, ratio=4):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = Mlp(dim, int(dim * ratio))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class VisionTransformer(nn.Module):
    def __init__(self, dim, depth, heads, patch, side=224, in_channels=3, ratio=4, tokens=1):
        super().__init__()
        self.tokens = tokens
        self.patch_embed = nn.Conv2d(in_channels, dim, patch, patch)
        self.cls_token = nn.Parameter(torch.zeros(1, tokens, dim)) if tokens > 0 else None
        self.pos_embed = nn.Parameter(torch.zeros(1, (side // patch) ** 2 + tokens, dim))
        self.blocks = nn.Sequential(*[Block(dim, heads, ratio) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)

    def sequence(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        if self.tokens > 0:
            x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1)
        # Positions are resized to images of another size, if the network allows them.
        return self.norm(self.blocks(x + torch.zeros(1, x.shape[1], x.shape[2])))


# Width, layers, heads.
VITS = {
    "tiny": (192, 12, 3),
    "small": (384, 12, 6),
    "base": (768, 12, 12),
    "large": (1024, 24, 16),
    "huge": (1280, 32, 16),
}


class ConvNextBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv_dw = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim)
        self.mlp = Mlp(dim, 4 * dim)
        self.gamma = nn.Parameter(torch.ones(dim, 1, 1))

    def forward(self, x):
        y = self.mlp(self.norm(self.conv_dw(x).permute(0, 2, 3, 1))).permute(0, 3, 1, 2)
        return x + self.gamma * y


class ChannelNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNeXt(nn.Module):
    def __init__(self, depths, widths, in_channels=3):
        super().__init__()
        self.widths = widths
        self.stem = nn.Sequential(nn.Conv2d(in_channels, widths[0], 4, 4), ChannelNorm(widths[0]))
        self.shrinks = nn.ModuleList()
        self.stages = nn.ModuleList()
        for at, depth in enumerate(depths):
            if at > 0:
                self.shrinks.append(
                    nn.Sequential(ChannelNorm(widths[at - 1]), nn.Conv2d(widths[at - 1], widths[at], 2, 2))
                )
            self.stages.append(nn.Sequential(*[ConvNextBlock(widths[at]) for _ in range(depth)]))

    def levels(self, x):
        x = self.stem(x)
        found = []
        for at, stage in enumerate(self.stages):
            x = stage(self.shrinks[at - 1](x) if at > 0 else x)
            found.append(x)
        return found


CONVNEXTS = {
    "tiny": ((3, 3, 9, 3), (96, 192, 384, 768)),
    "small": ((3, 3, 27, 3), (96, 192, 384, 768)),
    "base": ((3, 3, 27, 3), (128, 256, 512, 1024)),
    "large": ((3, 3, 27, 3), (192, 384, 768, 1536)),
}
