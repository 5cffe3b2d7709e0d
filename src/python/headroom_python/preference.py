"""A step of direct preference optimization as in trainers: the chosen and rejected rows pass through the model together, and
then, without a graph, through the reference."""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn

# Scales one number per row, so its value does not affect memory.
BETA = 0.1


def silence_dropout(model):
    """Preference trainers disable dropout, including that of adapters (trl and LLaMA-Factory, disable_dropout_in_model)."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0


def preference_loss(forward, model, reference, batch, code):
    """`forward` calls a model; `reference`: a frozen copy, the model without its adapters, or None if the
    data contains the reference's log-probabilities."""
    score = SCORES[code]
    inputs = {name: tensor for name, tensor in batch.items() if name != "labels"}
    # A scoring function returns what its caller still holds.
    scores, held = score(lambda: forward(model, inputs), batch)
    compared, also_held = torch.zeros_like(scores), None
    if reference is not None:
        with torch.no_grad(), reference.disable_adapter() if reference is model else contextlib.nullcontext():
            compared, also_held = score(lambda: forward(reference, inputs), batch)
    if code == "trl":
        _entropies(held.logits[..., :-1, :].detach())
    del held, also_held
    chosen, rejected = (scores - compared).chunk(2, dim=0)
    return -F.logsigmoid(BETA * (chosen - rejected)).mean()


def _trl(outputs, batch):
    """trl 1.6 to 1.13, dpo_trainer.py, _compute_loss."""
    out = outputs()
    logits = out.logits[..., :-1, :]
    words = _selective_log_softmax(logits, batch["input_ids"][..., 1:])
    return words.masked_fill_(batch["labels"][..., 1:] == 0, 0.0).sum(1), out


def _entropies(logits):
    """The policy's logged entropy (trl, trainer/utils.py, entropy_from_logits): rows without their last token are copied, and
    processed 128 tokens at a time. Later logging takes less memory."""
    for part in logits.reshape(-1, logits.shape[-1]).split(128):
        words = F.log_softmax(part, dim=-1)
        -(torch.exp(words) * words).sum(-1)


def _selective_log_softmax(logits, index):
    """trl, trainer/utils.py: rows one at a time."""
    index = index.unsqueeze(-1)
    if logits.dtype == torch.float32:
        selected = _Gather.apply(logits, index)
        sums = torch.stack([torch.logsumexp(row, dim=-1) for row in logits])
        return (selected - sums.unsqueeze(-1)).squeeze(-1)
    rows = [_Gather.apply(F.log_softmax(row, dim=-1), words) for row, words in zip(logits, index)]
    return torch.stack(rows).squeeze(-1)


def _llamafactory(outputs, batch):
    """LLaMA-Factory 0.9, train/dpo/trainer.py, concatenated_forward, and train/trainer_utils.py, get_batch_logps:
    log-probabilities of all tokens in fp32, and the logits stay alive for logging."""
    logits = outputs().logits.to(torch.float32)
    labels = batch["labels"][:, 1:].clone()
    mask = labels != -100
    labels.masked_fill_(~mask, 0)
    # The kernel copies non-contiguous input internally.
    shifted = logits[:, :-1, :].contiguous().log_softmax(-1)
    words = _Gather.apply(shifted, labels.unsqueeze(2)).squeeze(2)
    return (words * mask).sum(-1), logits


class _Gather(torch.autograd.Function):
    """`gather` with its gradient outside of dry runs: for a tensor subclass, torch adds to a second copy of the zeros instead of
    in place (FunctionsManual.cpp, gather_backward)."""

    @staticmethod
    def forward(ctx, x, index):
        ctx.save_for_backward(x, index)
        return torch.gather(x, -1, index)

    @staticmethod
    def backward(ctx, gradient):
        x, index = ctx.saved_tensors
        return gradient.new_zeros(x.shape).scatter_add_(-1, index, gradient), None


SCORES = {"trl": _trl, "llamafactory": _llamafactory}
