"""FlashAttention's own package: torch's kernel of the same name saves the same tensors.

Where this Python lacks the package, which only a machine with a GPU can build, and a program asks Transformers for it by name, a folder
stands in that has what Transformers takes from it."""

import importlib
import importlib.util
import os
import sys
import tempfile

import torch

from .. import kernels
from .imported import when_imported

# The newest one: Transformers asks for 2.1 or newer.
RELEASE = "2.8.3"
ASKS = ("attn_implementation", "_attn_implementation")
# Questions of Transformers whose first answer is kept.
CACHED = ("is_flash_attn_2_available", "_is_package_available", "_package_distribution_mapping")


def install(notes):
    when_imported("flash_attn", lambda module: _replaced(module, notes))


def _replaced(module, notes):
    for part in (module, sys.modules.get("flash_attn.flash_attn_interface")):
        for stand_in in (flash_attn_func, flash_attn_qkvpacked_func, flash_attn_kvpacked_func, flash_attn_varlen_func, flash_attn_varlen_qkvpacked_func, flash_attn_varlen_kvpacked_func):
            if part is not None and hasattr(part, stand_in.__name__):
                setattr(part, stand_in.__name__, stand_in)
    notes.add("FlashAttention's kernels by torch's of the same name")


def wanted(asked):
    """Puts the package in place if a model is asked to use it: `attn_implementation="flash_attention_2"`."""
    is_asked = any(asked.get(name) == "flash_attention_2" for name in ASKS) or asked.get("use_flash_attention_2") is True
    if not is_asked or importlib.util.find_spec("flash_attn") is not None:
        return
    folder = tempfile.mkdtemp(dir=os.environ.get("TMPDIR"))  # where files are what they seem, also for Python's own imports
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    sys.path.append(folder)
    importlib.invalidate_caches()
    utils = sys.modules["transformers.utils.import_utils"]
    for name in CACHED:
        clear = getattr(getattr(utils, name, None), "cache_clear", None)
        if clear is not None:
            clear()
    helpers = sys.modules.get("transformers.modeling_flash_attention_utils")
    if helpers is not None:  # before 4.56 it imports the package only once, when it is imported itself
        importlib.reload(helpers)


def _heads_first(x):
    return x.transpose(1, 2)


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False, **_):
    return _heads_first(kernels.attention(*map(_heads_first, (q, k, v)), None, dropout_p, causal, softmax_scale))


def flash_attn_qkvpacked_func(qkv, dropout_p=0.0, softmax_scale=None, causal=False, **_):
    return flash_attn_func(*qkv.unbind(2), dropout_p, softmax_scale, causal)


def flash_attn_varlen_func(
    q, k, v, cu_seqlens_q=None, cu_seqlens_k=None, max_seqlen_q=None, max_seqlen_k=None, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False, **_
):
    return flash_attn_func(q[None], k[None], v[None], dropout_p, softmax_scale, causal)[0]


def flash_attn_kvpacked_func(q, kv, dropout_p=0.0, softmax_scale=None, causal=False, **_):
    return flash_attn_func(q, *kv.unbind(2), dropout_p, softmax_scale, causal)


def flash_attn_varlen_qkvpacked_func(qkv, cu_seqlens=None, max_seqlen=None, dropout_p=0.0, softmax_scale=None, causal=False, **_):
    return flash_attn_func(*qkv[None].unbind(2), dropout_p, softmax_scale, causal)[0]


def flash_attn_varlen_kvpacked_func(
    q, kv, cu_seqlens_q=None, cu_seqlens_k=None, max_seqlen_q=None, max_seqlen_k=None, dropout_p=0.0, softmax_scale=None, causal=False, **_
):
    return flash_attn_func(q[None], *kv[None].unbind(2), dropout_p, softmax_scale, causal)[0]


def flash_attn_with_kvcache(q, k_cache, v_cache, k=None, v=None, *_, softmax_scale=None, causal=False, **__):
    return flash_attn_func(q, k_cache, v_cache, 0.0, softmax_scale, causal)


def index_first_axis(rows, indices):
    return rows[indices]


def unpad_input(hidden_states, attention_mask, unused_mask=None):
    """As flash_attn/bert_padding.py has it: the rows under the mask, where they begin, and how many the longest text has."""
    lengths = attention_mask.sum(dim=-1, dtype=torch.int32)
    indices = torch.nonzero(attention_mask.flatten(), as_tuple=False).flatten()
    starts = torch.nn.functional.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))
    rows = hidden_states.reshape(-1, *hidden_states.shape[2:])[indices]
    return rows, indices, starts, int(lengths.max().item()), lengths


def pad_input(hidden_states, indices, batch, seqlen):
    out = hidden_states.new_zeros((batch * seqlen, *hidden_states.shape[1:]))
    out[indices] = hidden_states
    return out.view(batch, seqlen, *hidden_states.shape[1:])


def apply_rotary_emb(x, cos, sin, *_, **__):
    """Its kernel writes one tensor of the shape of its input."""
    return x * 1


SAME = f"from {__name__} import *\n"
FILES = {
    **{"flash_attn/__init__.py": f"__version__ = {RELEASE!r}\n{SAME}", "flash_attn/flash_attn_interface.py": SAME, "flash_attn/bert_padding.py": SAME},
    **{"flash_attn/layers/__init__.py": "", "flash_attn/layers/rotary.py": SAME},
    **{f"flash_attn-{RELEASE}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: flash-attn\nVersion: {RELEASE}\n", f"flash_attn-{RELEASE}.dist-info/top_level.txt": "flash_attn\n"},
}
