"""Two training steps, or one forward pass, on fake tensors, counting all live memory."""

import contextlib
import gc

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .quantised import Linear4bit, quantise
from .optimizers import make_optimizer
from .tracker import Tracker

LABELS = {"causal-lm": "rows", "masked-lm": "rows", "token-classification": "rows", "sequence-classification": "row"}


def where(request):
    """The device of the steps: CUDA in a dry run, even if there is none."""
    return request.get("on") or "cuda"


def prepare(model, request, dtype):
    """Quantizes, widens, checkpoints and adds adapters in the order of the frameworks."""
    from .library_models import DTYPES, adapted

    training = request["training"]
    if request.get("quantization"):
        quantise(model, request["quantization"] == "nf4-dq", DTYPES[request.get("autocast") or "bf16"] if dtype is torch.float32 else dtype)
    model.train(training)
    if request.get("upcast", "none") != "none":
        _widen(model, request["upcast"])
    if training and request.get("checkpointing", "none") != "none":
        model.gradient_checkpointing_enable(
            gradient_checkpointing_kwargs={"use_reentrant": request["checkpointing"] == "reentrant"}
        )
    if request.get("adapters"):
        model = adapted(model, request["adapters"], dtype, training, where(request))
    return model


def _widen(model, which):
    """prepare_model_for_kbit_training: all 16-bit tensors become fp32, or only norms (TRL casts the others back)."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
        if parameter.dtype in (torch.bfloat16, torch.float16) and (which == "all" or parameter.dim() == 1):
            parameter.data = parameter.data.float()


def batch_of(request, config, dtype):
    rows, tokens, head = request["rows"], request.get("tokens"), request.get("head")
    training = request["training"]
    image, on = request.get("image"), where(request)
    if image:
        pixels = torch.empty(rows, image["channels"], image["height"], image["width"], device=on, dtype=dtype)
        labels = {"labels": torch.zeros(rows, dtype=torch.long, device=on)} if training else {}
        return {"pixel_values": pixels, **labels}
    made = {"input_ids": torch.zeros(rows, tokens, dtype=torch.long, device=on)}
    if request.get("padded"):
        made["attention_mask"] = torch.ones(rows, tokens, dtype=torch.long, device=on)
    if head == "seq2seq":
        targets = torch.zeros(rows, request.get("targets") or tokens, dtype=torch.long, device=on)
        made["labels" if training else "decoder_input_ids"] = targets
    elif training and head in LABELS:
        shape = (rows, tokens) if LABELS[head] == "rows" else (rows,)
        made["labels"] = torch.zeros(*shape, dtype=torch.long, device=on)
    elif training and head == "question-answering":
        for name in ("start_positions", "end_positions"):
            made[name] = torch.zeros(rows, dtype=torch.long, device=on)
    return made


def loss_of(model, batch, request):
    """Like compute_loss of a trainer: outputs are freed when it returns."""
    if request["head"] == "base":
        with _autocast(request):
            return model(**batch)[0].float().pow(2).mean()
    return outputs_of(model, batch, request).loss


def outputs_of(model, batch, request):
    """A model's outputs under a trainer: widened if accelerate widens them."""
    caches = {"use_cache": False} if request["head"] in ("causal-lm", "seq2seq") else {}
    with _autocast(request):
        out = model(**batch, **caches)
    if request.get("autocast") and request.get("widensOutputs"):
        out = tree_map(_widened, out)
    return out


def _autocast(request):
    from .library_models import DTYPES

    autocast = request.get("autocast")
    return torch.autocast(where(request), dtype=DTYPES[autocast]) if autocast else contextlib.nullcontext()


def _widened(x):
    half = isinstance(x, torch.Tensor) and x.dtype in (torch.bfloat16, torch.float16)
    return x.float() if half else x


class Run:
    """What is measured: a model, the way to make a batch, and the loss of a step."""

    def __init__(self, model, make_batch, make_loss, make_optimizer, vocabulary=None, tokens=None, beside=None):
        self.model, self.make_batch, self.make_loss = model, make_batch, make_loss
        self.make_optimizer, self.vocabulary, self.tokens = make_optimizer, vocabulary, tokens
        self.beside = beside  # a frozen model that runs in each step


def library_run(make, config, request, dtype):
    """`make` builds the model from its config."""
    from .library_models import text_config

    model = prepare(make(), request, dtype)
    make_loss, beside = _loss_maker(make, model, request, dtype)
    vocabulary = getattr(text_config(config), "vocab_size", None)
    tokens = request["rows"] * request["tokens"] if request.get("tokens") else None
    return Run(
        model,
        lambda: batch_of(request, config, dtype),
        make_loss,
        lambda parameters: make_optimizer(request["optimizer"], parameters),
        vocabulary if request.get("head") in ("causal-lm", "masked-lm", "seq2seq") else None,
        tokens,
        beside,
    )


def _loss_maker(make, model, request, dtype):
    """The function for the loss of a batch, and the frozen copy that it uses, if any."""
    wanted = request.get("preference")
    if not wanted:
        return (lambda batch: loss_of(model, batch, request)), None
    from .preference import preference_loss, silence_dropout

    silence_dropout(model)
    copy = None
    if wanted["reference"] == "copy":
        copy = prepare(make(), {**request, "training": False, "adapters": None}, dtype).requires_grad_(False)
    reference = model if wanted["reference"] == "itself" else copy

    def forward(asked, inputs):
        return outputs_of(asked, inputs, request)

    return (lambda batch: preference_loss(forward, model, reference, batch, wanted["code"])), copy


def count(run, request):
    """Peaks per phase, with the live memory by category."""
    gc.collect()
    gc.freeze()
    tracker = Tracker(run.vocabulary, run.tokens)
    parameters = measure(run, request, tracker)
    return {
        "phases": dict(tracker.peaks),
        "alive": {phase: {k: v for k, v in alive.items() if v} for phase, alive in tracker.at_peak.items()},
        "moments": tracker.moments,
        "reserved": tracker.allocator.peak,
        "parameters": sum(p.numel() for p in {id(p): p for p in parameters}.values()),
        "trained": sum(p.numel() for p in {id(p): p for p in parameters}.values() if p.requires_grad),
        "operations": tracker.operations,
    }


def measure(run, request, tracker):
    """Runs two steps, or one forward pass, under a tracker; returns the model's parameters."""
    parameters = list(run.model.parameters())
    trained = {id(p) for p in parameters if p.requires_grad}
    adapters = len(trained) < len({id(p) for p in parameters})
    for parameter in parameters:
        tracker.track(parameter, "adapters" if adapters and id(parameter) in trained else "weights")
    for parameter in run.beside.parameters() if run.beside else ():
        tracker.track(parameter, "weights")
    for module in [*run.model.modules(), *(run.beside.modules() if run.beside else ())]:
        # Scales of quantised weights are weights.
        kind = "weights" if isinstance(module, Linear4bit) else "buffers"
        for buffer in module.buffers(recurse=False):
            tracker.track(buffer, kind)
    tracker.enter("load", "load")
    if request["training"]:
        _train(run, request, tracker, parameters)
    else:
        _infer(run, request, tracker)
    return parameters


def _train(run, request, tracker, parameters):
    for parameter in parameters:
        if parameter.requires_grad:
            parameter.register_post_accumulate_grad_hook(lambda p: tracker.rename(p.grad, "gradients"))
    optimizer = run.make_optimizer(parameters)
    micro_steps = 2 if request.get("accumulates") else 1
    with tracker:
        for step in ("first", "steady"):
            for _ in range(micro_steps):
                _micro_step(run, tracker, step)
            tracker.enter(f"optimizer {step}", "optimizer")
            _optimizer_step(optimizer, parameters, tracker)


def _micro_step(run, tracker, step):
    tracker.enter(f"forward {step}", "forward")
    batch = run.make_batch()
    for tensor in tree_leaves(batch):
        if isinstance(tensor, torch.Tensor):
            tracker.rename(tensor, "inputs")
    loss = run.make_loss(batch)
    del batch
    tracker.enter(f"backward {step}", "backward")
    loss.backward()


def _optimizer_step(optimizer, parameters, tracker):
    if optimizer is None:
        for parameter in parameters:
            parameter.grad = None
        return
    optimizer.step()
    for state in optimizer.state.values():
        for tensor in state.values():
            if isinstance(tensor, torch.Tensor):
                tracker.rename(tensor, "optimizer states")
    optimizer.zero_grad(set_to_none=True)


def _infer(run, request, tracker):
    options = {}
    if request.get("useCache") is not None:
        options["use_cache"] = request["useCache"]
    if request.get("logitsToKeep") is not None:
        options["logits_to_keep"] = request["logitsToKeep"]
    with tracker, torch.no_grad():
        tracker.enter("forward steady", "forward")
        batch = run.make_batch()
        for tensor in tree_leaves(batch):
            if isinstance(tensor, torch.Tensor):
                tracker.rename(tensor, "inputs")
        with _autocast(request):
            out = run.model(**batch, **options) if isinstance(batch, dict) else run.model(*batch)
        del out, batch
