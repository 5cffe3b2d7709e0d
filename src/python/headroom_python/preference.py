"""A step of direct preference optimisation, as trainers have it: the chosen and the rejected rows go through the model together, and
then, without a graph, through what they are compared with."""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn

# Scales what is a number a row: it decides nothing here.
BETA = 0.1


def silence_dropout(model):
    """Preference trainers switch dropout off, that of adapters, too (trl and LLaMA-Factory, disable_dropout_in_model)."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0


def preference_loss(forward, model, reference, batch, code):
    """`forward` asks a model for its outputs; `reference`: a frozen copy, the model itself without its adapters, or None where the
    reference's log-probabilities come with the data."""
    score = SCORES[code]
    inputs = {name: tensor for name, tensor in batch.items() if name != "labels"}
    # Whoever scores says what its caller still has a name for.
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
    """What is logged of the policy (trl, trainer/utils.py, entropy_from_logits): rows that lack their last token become one piece, of
    which 128 tokens at a time are looked at. What follows in the log takes less."""
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
    """LLaMA-Factory 0.9, train/dpo/trainer.py, concatenated_forward, and train/trainer_utils.py, get_batch_logps: all words' in
    fp32, and the logits stay for what is logged of them."""
    logits = outputs().logits.to(torch.float32)
    labels = batch["labels"][:, 1:].clone()
    mask = labels != -100
    labels.masked_fill_(~mask, 0)
    # The kernel copies what does not lie in one piece, where nobody sees it.
    shifted = logits[:, :-1, :].contiguous().log_softmax(-1)
    words = _Gather.apply(shifted, labels.unsqueeze(2)).squeeze(2)
    return (words * mask).sum(-1), logits


class _Gather(torch.autograd.Function):
    """`gather` with the gradient that it has outside of dry runs: under a tensor that is none, torch adds to a second copy of the
    zeros, not into them (FunctionsManual.cpp, gather_backward)."""

    @staticmethod
    def forward(ctx, x, index):
        ctx.save_for_backward(x, index)
        return torch.gather(x, -1, index)

    @staticmethod
    def backward(ctx, gradient):
        x, index = ctx.saved_tensors
        return gradient.new_zeros(x.shape).scatter_add_(-1, index, gradient), None


SCORES = {"trl": _trl, "llamafactory": _llamafactory}
