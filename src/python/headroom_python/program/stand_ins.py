"""What stands in for kernels, workers and services that a dry run has not."""

import os
import sys

import torch

from .. import kernels
from ..older import grad_scaler
from ..protocol import Refusal
from . import ctc, flash, recurrent, triton_driver
from .imported import when_imported
from .ledger import TORCH
from .packages import Nothing


def install(gate, notes):
    torch.nn.functional.scaled_dot_product_attention = kernels.attention
    _flex_attention()
    _loaders()
    _processes()
    _scaler()
    triton_driver.install()
    ctc.install()
    recurrent.install(notes)
    _scripts()
    _telling(notes)
    when_imported("torch.utils.cpp_extension", _compiled_code)
    flash.install(notes)
    when_imported("xformers.ops", lambda module: _xformers(module, notes))


def _compiled_code(module):
    """CUDA code that the program compiles when it starts has no shapes that anyone could ask."""

    def load(name, *args, **kwargs):
        raise Refusal("kernels", f"it compiles CUDA code of its own ({name}), which a dry run cannot follow")

    module.load = module.load_inline = load


def _flex_attention():
    """FlexAttention is compiled Triton: what it reads and writes, and nothing more."""
    try:
        from torch.nn.attention import flex_attention as module
    except ImportError:
        return

    def flex_attention(query, key, value, *_, enable_gqa=False, return_lse=False, **__):
        rows, scale = query.shape[-2], query.shape[-1] ** -0.5
        if query.shape[1] != key.shape[1]:
            key, value = key[:, :1].expand(-1, query.shape[1], -1, -1), value[:, :1].expand(-1, query.shape[1], -1, -1)
        out = kernels.attention(query, key, value, is_causal=rows > 1, scale=scale)
        return (out, query.new_empty(query.shape[:-1], dtype=torch.float32)) if return_lse else out

    flex_attention._headroom_stand_in = True
    module.flex_attention = flex_attention


def _xformers(module, notes):
    def attention(query, key, value, attn_bias=None, p=0.0, scale=None, **_):
        mask = attn_bias if isinstance(attn_bias, torch.Tensor) else None
        causal = attn_bias is not None and mask is None
        if query.dim() == 3:
            return kernels.attention(query[:, None], key[:, None], value[:, None], mask, p, causal, scale)[:, 0]
        parts = (x.transpose(1, 2) for x in (query, key, value))
        return kernels.attention(*parts, mask, p, causal, scale).transpose(1, 2)

    module.memory_efficient_attention = attention
    notes.add("xFormers' attention by torch's")


def _loaders():
    """Batches are made in this process: another one would have no data either, and is not started."""
    make = torch.utils.data.DataLoader.__init__

    def init(self, *args, **kwargs):
        asked = kwargs.get("num_workers", args[5] if len(args) > 5 else 0)
        for key in ("num_workers", "prefetch_factor", "persistent_workers", "pin_memory", "multiprocessing_context", "timeout"):
            kwargs.pop(key, None)
        make(self, *args[:5], **kwargs)  # dataset, batch_size, shuffle, sampler, batch_sampler
        self.num_workers = asked  # accelerate makes another loader of it

    torch.utils.data.DataLoader.__init__ = init
    _as_worker()


def _as_worker():
    """Where a program asks for workers, its code may look for its data set in the worker that it is in: the only one."""
    from torch.utils.data import dataloader
    from torch.utils.data._utils import worker

    Iterator = dataloader._SingleProcessDataLoaderIter
    make, really = Iterator.__init__, Iterator._next_data

    def init(self, loader, *args, **kwargs):
        self._headroom_workers, loader.num_workers = loader.num_workers, 0
        try:
            make(self, loader, *args, **kwargs)
        finally:
            loader.num_workers = self._headroom_workers

    def next_data(self):
        if not self._headroom_workers:
            return really(self)
        before = worker._worker_info
        worker._worker_info = worker.WorkerInfo(id=0, num_workers=1, seed=0, dataset=self._dataset)
        try:
            return really(self)
        finally:
            worker._worker_info = before

    Iterator.__init__, Iterator._next_data = init, next_data
    dataloader.DataLoader._get_iterator = lambda self: Iterator(self)


def _processes():
    """Pools of processes become pools of threads; maps of data sets run here."""
    import concurrent.futures
    import multiprocessing
    import multiprocessing.pool

    multiprocessing.Pool = multiprocessing.pool.ThreadPool

    class Pool(concurrent.futures.ThreadPoolExecutor):
        def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
            super().__init__(max_workers, initializer=initializer, initargs=initargs)

    concurrent.futures.ProcessPoolExecutor = Pool

    def here(kind, names):
        for name in names:
            really = getattr(kind, name)

            def one(self, *args, _really=really, **kwargs):
                return _really(self, *args, **{**kwargs, **({"num_proc": None} if "num_proc" in kwargs else {})})

            setattr(kind, name, one)

    when_imported("datasets.arrow_dataset", lambda module: here(module.Dataset, ("map", "filter", "save_to_disk")))
    when_imported("datasets.builder", lambda module: here(module.DatasetBuilder, ("download_and_prepare",)))


def _scaler():
    """A loss scaler asks whether there were infinities: there were none."""
    grad_scaler()._maybe_opt_step = lambda self, optimizer, state, *args, **kwargs: optimizer.step(*args, **kwargs)


def _scripts():
    """Scripted code has no graph that can be followed: it runs as it is written."""
    really = torch.jit.script

    def script(obj=None, *args, **kwargs):
        if not isinstance(obj, type) and sys._getframe(1).f_code.co_filename.startswith(TORCH):  # which needs the graphs of its own decompositions
            # It looks for names where it is called, which is one frame further up.
            return really(obj, *args, **{**kwargs, "_frames_up": kwargs.get("_frames_up", 0) + 1})
        return obj if obj is not None else (lambda f: f)

    torch.jit.script = script


def _telling(notes):
    """Trackers and checkpoints: nothing of a dry run is kept."""
    torch.save = _saved
    when_imported("wandb", _unheard)
    when_imported("evaluate", lambda module: _metrics(module, notes))

    def silent(name):
        def change(module):
            for part in ("save_file", "save_model"):
                if hasattr(module, part):
                    setattr(module, part, lambda *args, **kwargs: None)

        when_imported(name, change)

    for name in ("safetensors.torch", "safetensors"):
        silent(name)


def _saved(obj, f, *args, **kwargs):
    """Nothing of a checkpoint but its name, which trackers look for."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb"):
            pass


def _unheard(module):
    """Loggers pass a mode of their own, and then W&B starts a process."""
    if hasattr(module, "init") and hasattr(module, "login"):
        init = module.init
        module.init = lambda *args, **kwargs: init(*args, **{**kwargs, "mode": "disabled"})
        module.login = lambda *args, **kwargs: True
        for part in (module, getattr(module, "Run", None)):
            if part is not None:
                part.watch = part.unwatch = lambda *args, **kwargs: None


def _metrics(module, notes):
    """Scores whose code is on the hub: no training needs their values."""
    if hasattr(module, "load"):
        load = module.load

        def loaded(path, *args, **kwargs):
            try:
                return load(path, *args, **kwargs)
            except Exception:
                notes.add(f"nothing for the metric {path}, which is missing")
                return Nothing()

        module.load = loaded
