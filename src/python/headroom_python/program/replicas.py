"""Replicas of a model: nn.DataParallel's first GPU, which also gathers, and DDP's buckets."""

import contextlib

import torch
from torch.utils._pytree import tree_map


def install(notes, count):
    _threads(notes, count)
    if torch.distributed.is_available():
        _processes(notes)


def _threads(notes, count):
    really = torch.nn.parallel.DataParallel

    class DataParallel(really):
        """The first GPU: its share of the rows goes through the model, and all outputs come back to it."""

        def __init__(self, module, device_ids=None, output_device=None, dim=0):
            torch.nn.Module.__init__(self)
            self.module, self.dim, self.count = module, dim, len(device_ids) if device_ids else count
            self.device_ids = list(device_ids or range(count)) if self.count > 1 else []
            if self.count > 1:
                notes.add(f"nn.DataParallel on {self.count} GPUs: the first one, which gathers the outputs")

        def forward(self, *inputs, **kwargs):
            if self.count == 1:
                return self.module(*inputs, **kwargs)
            inputs, kwargs = tree_map(self._share, (inputs, kwargs))
            return tree_map(self._gathered, self.module(*inputs, **kwargs))

        def _share(self, x):
            if not isinstance(x, torch.Tensor) or x.dim() == 0:
                return x
            return x.to("cuda").chunk(self.count, self.dim)[0]

        def _gathered(self, x):
            if not isinstance(x, torch.Tensor):
                return x
            x = x.reshape(1) if x.dim() == 0 else x
            others = [torch.empty_like(x, requires_grad=False) for _ in range(self.count - 1)]
            return torch.cat([x, *others], self.dim if x.dim() > self.dim else 0)

    torch.nn.parallel.DataParallel = torch.nn.DataParallel = torch.nn.parallel.data_parallel.DataParallel = DataParallel


def _processes(notes):
    class DistributedDataParallel(torch.nn.Module):
        """The reducer is C++ that wants data: a replica, and the buckets through which gradients go."""

        def __init__(self, module, *args, gradient_as_bucket_view=False, **kwargs):
            super().__init__()
            self.module, self.device_ids, self.require_backward_grad_sync = module, kwargs.get("device_ids"), True
            trained = [p for p in module.parameters() if p.requires_grad]
            kinds = {} if gradient_as_bucket_view else {(p.dtype, p.device) for p in trained}
            self._buckets = [
                torch.empty(sum(p.numel() for p in trained if (p.dtype, p.device) == (dtype, device)), dtype=dtype, device=device)
                for dtype, device in kinds
            ]
            notes.add("DDP: the gradients a second time, in buckets")

        def forward(self, *args, **kwargs):
            return self.module(*args, **kwargs)

        def no_sync(self):
            return contextlib.nullcontext()

        def register_comm_hook(self, *args, **kwargs):
            pass

        def _set_static_graph(self):
            pass

        join = no_sync

    torch.nn.parallel.DistributedDataParallel = torch.nn.parallel.distributed.DistributedDataParallel = DistributedDataParallel
