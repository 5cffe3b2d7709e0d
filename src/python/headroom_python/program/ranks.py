"""One rank of many, with ranks that are not there: torch's own fake process group, and collectives that do nothing."""

import os

import torch

from ..protocol import Refusal
from . import replicas, zero
from .imported import when_imported


def environment(count):
    os.environ.update(
        RANK="0", LOCAL_RANK="0", GROUP_RANK="0", WORLD_SIZE=str(count), LOCAL_WORLD_SIZE=str(count),
        MASTER_ADDR="127.0.0.1", MASTER_PORT="29511",
    )  # fmt: skip


def install(gate, notes, count):
    refuse_others()
    replicas.install(notes, count)
    zero.install(gate.ledger, notes)
    _spawn(count)
    if not torch.distributed.is_available():
        return
    _group(count)
    _collectives()


UNFOLLOWED = {
    "megatron.core": "Megatron's tensor and pipeline parallelism",
    "colossalai": "ColossalAI's parallelism",
}


def refuse_others():
    for name, words in UNFOLLOWED.items():

        def refuse(module, words=words):
            for part in ("initialize", "initialize_model_parallel", "launch"):
                if hasattr(module, part):
                    setattr(module, part, _refusing(words))

        when_imported(name, refuse)
    when_imported("megatron.core.parallel_state", lambda module: setattr(module, "initialize_model_parallel", _refusing(UNFOLLOWED["megatron.core"])))
    when_imported("torch.distributed.tensor.parallel", lambda module: setattr(module, "parallelize_module", _refusing("tensor parallelism")))
    when_imported("torch.distributed.pipelining", _without_pipelines)


def _without_pipelines(module):
    for part in ("pipeline", "PipelineStage"):
        setattr(module, part, _refusing("pipeline parallelism"))


def _refusing(words):
    def refused(*args, **kwargs):
        raise Refusal("parallel", f"{words} cannot be followed by a dry run of a program")

    return refused


def _spawn(count):
    import torch.multiprocessing as processes

    def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
        if nprocs > 1 and count == 1:
            environment(nprocs)
        return fn(0, *args)

    processes.spawn = torch.multiprocessing.spawn = spawn


def _group(count):
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    begin = dist.init_process_group

    def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, **kwargs):
        size = int(world_size) if isinstance(world_size, int) and world_size > 0 else int(os.environ.get("WORLD_SIZE", count))
        begin("fake", rank=0, world_size=max(1, size), store=FakeStore())

    dist.init_process_group = dist.distributed_c10d.init_process_group = init_process_group
    dist.is_nccl_available = dist.distributed_c10d.is_nccl_available = lambda: True
    dist.get_backend = dist.distributed_c10d.get_backend = lambda group=None: "nccl"


class Done:
    """What is received is in tensors that exist already."""

    def wait(self, *_):
        return True

    is_completed = is_success = wait


NAMES = (
    "all_gather_into_tensor", "_all_gather_base", "reduce_scatter_tensor", "_reduce_scatter_base", "all_reduce", "broadcast",
    "all_gather", "reduce", "scatter", "gather", "reduce_scatter", "all_to_all", "all_to_all_single", "barrier", "send", "recv",
    "broadcast_object_list", "monitored_barrier",
)  # fmt: skip


def _collectives():
    import torch.distributed as dist

    def collective(*args, async_op=False, **kwargs):
        return Done() if async_op else None

    for name in NAMES:
        for part in (dist, dist.distributed_c10d):
            setattr(part, name, collective)

    def gather_objects(objects, mine, group=None):
        objects[:] = [mine] * len(objects)

    dist.all_gather_object = dist.distributed_c10d.all_gather_object = gather_objects
