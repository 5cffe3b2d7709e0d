"""Recurrent layers on a GPU, by what cuDNN's keep and allocate: its own code asks the driver before it looks at shapes.

Kept are the arguments of `_cudnn_rnn_backward` (tools/autograd/derivatives.yaml): input, states, weights, output and a reserve of what
each step of each layer computes, whose size cuDNN does not publish: gates, states and outputs, which its backward pass needs."""

import functools

import torch
from torch._subclasses.fake_tensor import FakeTensor

from . import kept as known

# Tensors of the hidden size in the reserve, for each step, layer and direction (as core's network/sequences.ts).
KEPT = {"lstm": 6, "gru": 5, "rnn_tanh": 1, "rnn_relu": 1}


class Layers(torch.autograd.Function):
    @staticmethod
    def forward(ctx, sizes, x, *others):
        kept, output, states = sizes
        reserve = x.new_empty(kept)
        y = x.new_empty(output)
        ctx.save_for_backward(x, *others, y, reserve)
        return (y, *(one.clone() for one in others[:states]))

    @staticmethod
    def backward(ctx, *_):
        x, *others = ctx.saved_tensors[:-2]
        return (None, *(torch.empty_like(one) if needed else None for one, needed in zip((x, *others), ctx.needs_input_grad[1:])))


class Packed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, padded, steps):
        ctx.shape = padded.shape
        return padded.new_empty(steps, *padded.shape[2:])

    @staticmethod
    def backward(ctx, gradient):
        return gradient.new_empty(ctx.shape), None


def install(notes):
    _packing()
    for name in KEPT:
        stand_in = _stand_in(name, getattr(torch._VF, name), notes)
        setattr(torch._VF, name, stand_in)
        setattr(torch, name, stand_in)


def _packing():
    """Sizes of packed batches stay on the CPU, where torch's shapes alone put them beside the data."""
    really = torch._VF._pack_padded_sequence

    def pack(input, lengths, batch_first):
        if not isinstance(input, FakeTensor):
            return really(input, lengths, batch_first)
        rows, longest = input.shape[:2] if batch_first else input.shape[1::-1]
        with known.no_modes():
            each = known.of(lengths) if isinstance(lengths, FakeTensor) else lengths
            each = torch.full((rows,), longest) if each is None else each
            sizes = (each[None] > torch.arange(int(each.max()))[:, None]).sum(1)
        return Packed.apply(input, int(sizes.sum())), sizes

    torch._VF._pack_padded_sequence = pack


def _stand_in(name, really, notes):
    @functools.wraps(really)
    def layers(input, *args):
        if not isinstance(input, FakeTensor) or input.device.type != "cuda":
            return really(input, *args)
        is_packed = not isinstance(args[2], bool)  # then the sizes of its batches come first
        given, weights, _, count, _, training, both = args[1:8] if is_packed else args[:7]
        states = list(given) if isinstance(given, (list, tuple)) else [given]
        if torch.is_autocast_enabled():  # autocast's _cudnn_rnn_cast_reflatten
            low = torch.get_autocast_gpu_dtype()
            input, states, weights = input.to(low), [one.to(low) for one in states], [one.to(low) for one in weights]
        ways = 2 if both else 1
        lead = input.shape[:-1]
        steps = lead.numel() * count * ways * states[-1].shape[-1] * KEPT[name]
        notes.add("recurrent layers by what cuDNN keeps of their steps")
        sizes = (steps if training else 0, (*lead, ways * states[0].shape[-1]), len(states))
        return Layers.apply(sizes, input, *states, *weights)

    return layers
