"""The CTC loss on a GPU, by what ATen's own kernel keeps and allocates (aten/src/ATen/native/cuda/LossCTC.cu): cuDNN's takes only targets on the CPU."""

import torch
from torch._subclasses.fake_tensor import FakeTensor

from . import kept


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, log_probs, targets, most):
        steps, rows = log_probs.shape[:2]
        # log_alpha of ctc_loss_gpu_template: a blank around each token of the longest target.
        alpha = log_probs.new_empty(rows, steps, 2 * most + 1)
        losses = log_probs.new_empty(rows)
        ctx.save_for_backward(log_probs, targets, losses, alpha)
        return losses

    @staticmethod
    def backward(ctx, gradient):
        log_probs, _, _, alpha = ctx.saved_tensors
        beta, out = torch.empty_like(alpha), torch.empty_like(log_probs)
        del beta
        return out, None, None


def install():
    really = torch.nn.functional.ctc_loss

    def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
        if not isinstance(log_probs, FakeTensor):
            return really(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
        if log_probs.dim() == 2:
            log_probs = log_probs.unsqueeze(1)
        out = Loss.apply(log_probs, targets, _longest(targets, target_lengths, log_probs.shape[0]))
        return out.mean() if reduction == "mean" else out.sum() if reduction == "sum" else out

    torch.nn.functional.ctc_loss = ctc_loss


def _longest(targets, lengths, steps):
    """The longest target; the padded width, or as long as the input, where nobody knows it."""
    if isinstance(lengths, torch.Tensor):
        known = kept.of(lengths) if isinstance(lengths, FakeTensor) else lengths
        if known is not None:
            with kept.no_modes():
                return int(known.max())
        return targets.shape[-1] if targets.dim() == 2 else steps
    return max(lengths, default=0)
