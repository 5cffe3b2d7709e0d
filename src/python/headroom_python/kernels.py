"""Attention as a CUDA device runs it, and the memory that kernels allocate internally."""

import contextlib

import torch
import torch.nn.functional as F

from .older import autocast_dtype, is_compiling

aten = torch.ops.aten
_original = F.scaled_dot_product_attention
HALVES = (torch.bfloat16, torch.float16)
OTHERS = {}  # operation of a library -> the same, from its arguments
BACKWARDS = (
    aten._scaled_dot_product_flash_attention_backward.default,
    aten._flash_attention_backward.default,
    aten._scaled_dot_product_efficient_attention_backward.default,
)


def rounded(x, multiple):
    return -(-x // multiple) * multiple


@contextlib.contextmanager
def cuda_attention():
    """In this context scaled_dot_product_attention chooses its kernel as on CUDA; fake tensors alone would get the math kernel."""
    F.scaled_dot_product_attention = attention
    try:
        yield
    finally:
        F.scaled_dot_product_attention = _original


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    of_cuda = torch.backends.cuda
    # Dynamo breaks a graph at these questions.
    wants_math = not is_compiling() and not (
        of_cuda.flash_sdp_enabled() or of_cuda.mem_efficient_sdp_enabled()
    )
    if query.device.type != "cuda" or wants_math:
        more = {"enable_gqa": True} if enable_gqa else {}  # torch 2.4 has no such argument
        return _original(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, **more)
    query, key, value, attn_mask = _autocast(query, key, value, attn_mask)
    flat = query.dim() == 3
    if flat:
        query, key, value = query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0)
    with torch.autocast("cuda", enabled=False):
        size = query.shape[-1]
        takes_flash = query.dtype in HALVES and attn_mask is None and size <= 256 and value.shape[-1] == size
        if takes_flash:
            out = _flash(query, key, value, dropout_p, is_causal, scale)
        else:
            out = _efficient(query, key, value, attn_mask, dropout_p, is_causal, scale)
    return out.squeeze(0) if flat else out


def _autocast(query, key, value, mask):
    dtype = autocast_dtype()
    if dtype is None:
        return query, key, value, mask
    cast = [x.to(dtype) if x.is_floating_point() and x.dtype != torch.float64 else x for x in (query, key, value)]
    if mask is not None and mask.is_floating_point():
        mask = mask.to(dtype)
    return (*cast, mask)


def _flash(query, key, value, dropout, causal, scale):
    size = query.shape[-1]
    pad = -size % 8
    if pad:
        query, key, value = (F.pad(x, (0, pad)) for x in (query, key, value))
    scale = scale if scale is not None else size**-0.5
    out = aten._scaled_dot_product_flash_attention(query, key, value, dropout, causal, False, scale=scale)[0]
    return out[..., :size] if pad else out


def _efficient(query, key, value, mask, dropout, causal, scale):
    heads = query.shape[1]
    if key.shape[1] != heads:
        key = key.repeat_interleave(heads // key.shape[1], 1)
        value = value.repeat_interleave(heads // value.shape[1], 1)
    if mask is not None:
        mask = _bias(mask, query, key)
    wants = torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad)
    return aten._scaled_dot_product_efficient_attention(query, key, value, mask, wants, dropout, causal, scale=scale)[0]


def _bias(mask, query, key):
    if mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask.logical_not(), float("-inf"))
    columns = mask.shape[-1]
    if columns % 16:  # The kernel requires aligned rows.
        mask = F.pad(mask, (0, 16 - columns % 16))[..., :columns]
    return mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])


def inside(func, args):
    """Bytes that a kernel allocates and frees itself: accumulators of attention's backward."""
    if func in OTHERS:
        return OTHERS[func](*args)
    if func not in BACKWARDS or args[1].device.type != "cuda":  # before torch 2.3, CPUs run an operation of this name
        return 0
    if func is aten._scaled_dot_product_flash_attention_backward.default:
        query, key = args[1], args[2]
        batch, heads, rows, size = query.shape
        return _flash_backward(batch, heads, rows, size, key.shape[1], key.shape[2], query.element_size())
    if func is aten._flash_attention_backward.default:
        query, key = args[1], args[2]
        batch, rows, heads, size = query.shape
        return _flash_backward(batch, heads, rows, size, key.shape[2], key.shape[1], query.element_size())
    batch, heads, rows, size = args[1].shape
    delta = batch * heads * rounded(rows, 32) * 4
    return delta + (batch * heads * rounded(rows, 64) * rounded(size, 32) * 4 if args[1].element_size() == 2 else 0)


def _flash_backward(batch, heads, rows, size, key_heads, key_rows, element):
    total = batch * heads * rounded(rows, 128) * rounded(size, 32) * 4  # the fp32 gradient of the queries
    total += batch * heads * rounded(rows, 128) * 4
    if key_heads != heads:
        total += 2 * batch * key_rows * heads * size * element  # one for each query head
    return total
