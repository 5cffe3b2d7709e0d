"""DeepSpeed's engine by its storages: what ZeRO's stages partition, gather and reduce on the first of many ranks.

Sizes: deepspeed/runtime/zero/stage_1_and_2.py and stage3.py (flat 16-bit weights, fp32 partitions, ipg buckets, averaged gradients,
sub groups), their defaults: deepspeed/runtime/zero/config.py."""

import json
import os

import torch

from .imported import when_imported

BUCKET, SUB_GROUP = 500_000_000, 1_000_000_000


def install(ledger, notes):
    when_imported("deepspeed", lambda module: _initialize(module, ledger, notes))


def _initialize(module, ledger, notes):
    def initialize(args=None, model=None, optimizer=None, model_parameters=None, training_data=None, lr_scheduler=None, config=None, **more):
        given = config or more.get("config_params") or getattr(args, "deepspeed_config", None)
        if isinstance(given, (str, os.PathLike)):
            with open(given) as file:
                given = json.load(file)
        engine = Engine(model, optimizer, model_parameters, lr_scheduler, dict(given or {}), ledger)
        loader = None
        if training_data is not None:
            loader = torch.utils.data.DataLoader(training_data, batch_size=engine.train_micro_batch_size_per_gpu(), collate_fn=more.get("collate_fn"))
        notes.add(f"DeepSpeed's ZeRO stage {engine.stage}, by its storages")
        return engine, engine.optimizer, loader, engine.lr_scheduler

    module.initialize = initialize


def number(given, key, default):
    value = given.get(key, default)
    return default if value in (None, "auto") else value


class Partition:
    """The share of one parameter group: fp32 weights that the optimizer steps, and gradients of the model's kind."""

    def __init__(self, parameters, ranks, kind, place):
        self.parameters = parameters
        self.size = -(-sum(p.numel() for p in parameters) // ranks)
        self.master = torch.nn.Parameter(torch.empty(self.size, dtype=torch.float32, device=place))
        self.kind, self.gradients = kind, None


class Engine(torch.nn.Module):
    def __init__(self, model, optimizer, parameters, lr_scheduler, config, ledger):
        super().__init__()
        zero = config.get("zero_optimization") or {}
        self.config, self.zero, self.ledger = config, zero, ledger
        self.stage, self.ranks = int(number(zero, "stage", 0)), int(os.environ.get("WORLD_SIZE", "1"))
        self.device, self.local_rank, self.global_rank, self.global_steps = torch.device("cuda", 0), 0, 0, 0
        self.micro_steps, self.boundary = 0, None
        self.module = model
        self.kind = self._kind()
        if self.kind is not torch.float32:
            model.to(self.kind)
        model.to("cuda")
        self._place = "cpu" if (zero.get("offload_optimizer") or {}).get("device") in ("cpu", "nvme") else "cuda"
        self.optimizer = self._optimizer(optimizer, parameters)
        self.lr_scheduler = lr_scheduler(self.optimizer) if callable(lr_scheduler) else lr_scheduler
        self._buckets = self._communication()
        if self.stage == 3:
            self._whole = Gathered(model, self.ranks, ledger)

    def _kind(self):
        for name, kind in (("bf16", torch.bfloat16), ("bfloat16", torch.bfloat16), ("fp16", torch.float16)):
            if (self.config.get(name) or {}).get("enabled") is True:
                return kind
        return torch.float32

    def _optimizer(self, optimizer, parameters):
        parameters = list(parameters) if parameters is not None else None
        trained = [p for p in (parameters or self.module.parameters()) if not isinstance(p, dict) and p.requires_grad]
        if callable(optimizer) and not isinstance(optimizer, torch.optim.Optimizer):
            optimizer = optimizer(parameters or trained)
        if optimizer is None:
            about = (self.config.get("optimizer") or {}).get("params", {})
            keys = {key: value for key, value in about.items() if key in ("lr", "betas", "eps", "weight_decay") and value != "auto"}
            optimizer = torch.optim.AdamW(parameters or trained, fused=self._place == "cuda", **keys)
        shares = self.ranks if self.stage else 1
        self.partitions = []
        if self.kind is torch.float32 and self.stage == 0:
            return optimizer
        for group in optimizer.param_groups:
            part = Partition([p for p in group["params"] if p.requires_grad], shares, self.kind, self._place)
            group["params"] = [part.master]
            self.ledger.rename(part.master, "optimizer states")
            self.partitions.append(part)
        optimizer.state.clear()
        for part in self.partitions:
            for parameter in part.parameters:
                if self.stage >= 2:
                    parameter.register_post_accumulate_grad_hook(self._reduced(part))
        return optimizer

    def _reduced(self, part):
        """A gradient goes through a bucket to the rank that keeps its part."""

        def hook(parameter):
            if part.gradients is None:
                place = "cpu" if self._place == "cpu" else "cuda"
                part.gradients = torch.empty(part.size, dtype=self.kind, device=place)
                self.ledger.rename(part.gradients, "gradients")
            parameter.grad = None

        return hook

    def _communication(self):
        if self.stage == 0 or self.ranks == 1:
            return []
        most = sum(p.numel() for p in self.module.parameters() if p.requires_grad)
        size = int(min(number(self.zero, "reduce_bucket_size", BUCKET), BUCKET if self.stage == 3 else float("inf")))
        count = 2 if number(self.zero, "overlap_comm", self.stage == 3) and self.stage < 3 else 1
        kept = [torch.empty(size if self.zero.get("contiguous_gradients", True) is not False else min(size, most), dtype=self.kind, device="cuda")]
        return kept * 1 if count == 1 else [*kept, torch.empty_like(kept[0])]

    # ---- a step
    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def backward(self, loss, *args, retain_graph=False, **kwargs):
        (loss / self.gradient_accumulation_steps()).backward(retain_graph=retain_graph)
        self.micro_steps += 1
        return loss

    def step(self, *args, **kwargs):
        if not self.is_gradient_accumulation_boundary():
            return
        for part in self.partitions:
            self._gradient(part)
        self.optimizer.step()
        for part in self.partitions:
            part.master.grad = part.gradients = None
            for parameter in part.parameters:
                parameter.grad = None
        self.optimizer.zero_grad()
        self.global_steps += 1
        if self.lr_scheduler is not None:
            self.lr_scheduler.step()

    def _gradient(self, part):
        """The partition's gradient in fp32; stage 3 steps groups of parameters one by one, which the optimizer's own size hides."""
        part.master.grad = torch.empty(part.size, dtype=torch.float32, device=self._place)
        self.ledger.rename(part.master.grad, "gradients")

    def is_gradient_accumulation_boundary(self):
        if self.boundary is not None:
            return self.boundary
        return self.micro_steps % self.gradient_accumulation_steps() == 0

    def set_gradient_accumulation_boundary(self, is_boundary):
        self.boundary = is_boundary

    def gradient_accumulation_steps(self):
        return int(number(self.config, "gradient_accumulation_steps", 1))

    def train_micro_batch_size_per_gpu(self):
        known = number(self.config, "train_micro_batch_size_per_gpu", 0)
        whole = int(number(self.config, "train_batch_size", 1))
        return int(known) or max(1, whole // (self.gradient_accumulation_steps() * self.ranks))

    def train_batch_size(self):
        return self.train_micro_batch_size_per_gpu() * self.gradient_accumulation_steps() * self.ranks

    def zero_optimization_stage(self):
        return self.stage

    def get_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_global_grad_norm(self):
        return 1.0

    def load_checkpoint(self, *args, **kwargs):
        return None, {}

    def _nothing(self, *args, **kwargs):
        return None

    save_checkpoint = save_16bit_model = destroy = compile = _nothing

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.__dict__["_modules"]["module"], name)


class Gathered:
    """Stage 3: a module's weights are whole while it runs, forward and backward; between, each rank has its share."""

    def __init__(self, model, ranks, ledger):
        self.shares = []
        for module in model.modules():
            own = list(module.parameters(recurse=False))
            if own:
                self.shares += [torch.empty(-(-p.numel() // ranks), dtype=p.dtype, device="cuda") for p in own]
                self._hooks(module, own)
                _resized(own, whole=False)
        for share in self.shares:
            ledger.rename(share, "weights")

    def _hooks(self, module, own):
        module.register_forward_pre_hook(lambda *_: _resized(own, whole=True))
        module.register_forward_hook(lambda *_: _resized(own, whole=False))
        module.register_full_backward_pre_hook(lambda *_: _resized(own, whole=True))
        module.register_full_backward_hook(lambda *_: _resized(own, whole=False))


def _resized(own, whole):
    """Views that autograd saved stay valid, as they do for the engine's own products."""
    for parameter in own:
        parameter.untyped_storage().resize_(parameter.numel() * parameter.element_size() if whole else 0)
