"""torch.cuda as it answers on a machine with the named GPU. Nothing here reaches a driver."""

import contextlib
import os
import types

import torch

from ..older import demanded_base
from . import kinds

MOST_ARCHITECTURES = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


class Stream(demanded_base("_StreamBase")):
    """A stream that is always done."""

    cuda_stream, stream_id, device_index, device_type, priority = 0, 0, 0, 1, 0

    def __init__(self, *args, **kwargs):
        self.device = torch.device("cuda", 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __eq__(self, other):
        return isinstance(other, Stream)

    __hash__ = object.__hash__

    def query(self):
        return True

    def is_capturing(self):
        return False

    def record_event(self, event=None):
        return event or Event()

    def wait_stream(self, *_):
        pass

    wait_event = synchronize = wait_stream


class Event(demanded_base("_EventBase")):
    def __init__(self, *args, **kwargs):
        pass

    def elapsed_time(self, _):
        return 1.0

    def query(self):
        return True

    def record(self, *_):
        pass

    wait = synchronize = record


class _GeneratorClass(type):
    def __instancecheck__(cls, x):
        return isinstance(x, torch._C.Generator)


class Generator(metaclass=_GeneratorClass):
    """torch.Generator("cuda") would ask the driver: one of the CPU is in its place, and is never asked."""

    def __new__(cls, device="cpu"):
        return torch._C.Generator("cpu" if torch.device(device).type == "cuda" else device)


class Place:
    """`with torch.cuda.device(1):` changes nothing: one rank has one GPU."""

    def __init__(self, device=None):
        self.idx = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def constant(value):
    return lambda *args, **kwargs: value


def install(gpu, count, ledger):
    """`gpu`: name, bytes, capability (two numbers) and multiprocessors."""
    cuda, stream = torch.cuda, Stream()
    capability = tuple(gpu["capability"])
    state = torch.get_rng_state()
    answers = dict(
        _lazy_init=None, init=None, is_available=True, is_initialized=True, device_count=count, current_device=0, set_device=None,
        get_device_name=gpu["name"], get_device_capability=capability, get_device_properties=_properties(gpu, capability),
        is_bf16_supported=capability[0] >= 8, synchronize=None, current_stream=stream, default_stream=stream, set_stream=None,
        ipc_collect=None, empty_cache=None, can_device_access_peer=True, is_current_stream_capturing=False, current_blas_handle=0,
        utilization=0, temperature=40, power_draw=100, clock_rate=1000, manual_seed=None, manual_seed_all=None, seed=None,
        seed_all=None, initial_seed=0, set_rng_state=None, set_rng_state_all=None, get_arch_list=list(MOST_ARCHITECTURES),
        set_per_process_memory_fraction=None, memory_summary="(a dry run)", memory_snapshot=[], reset_max_memory_allocated=None,
        reset_accumulated_memory_stats=None, _is_compiled=True, set_sync_debug_mode=None, list_gpu_processes="",
        get_allocator_backend="native", get_rng_state=state, get_rng_state_all=[state], _exchange_device=0, _maybe_exchange_device=0,
    )  # fmt: skip
    for key, value in answers.items():
        setattr(cuda, key, constant(value))
    _memory(cuda, gpu["bytes"], ledger)
    cuda.Stream, cuda.Event, cuda.ExternalStream, torch.Stream, torch.Event = Stream, Event, Stream, Stream, Event
    cuda.stream, cuda.StreamContext = _within, type("StreamContext", (), {})
    cuda.device = cuda.device_of = cuda._DeviceGuard = Place
    for module in ("memory", "random", "streams"):  # `from torch.cuda.memory import max_memory_allocated`
        part = getattr(cuda, module, None)
        for key in dir(part):
            ours = getattr(cuda, key, None)
            if not key.startswith("__") and callable(ours) and not isinstance(getattr(part, key), types.ModuleType):
                setattr(part, key, ours)
    torch.Generator = Generator
    kinds.install()
    _native(count, ledger)
    _elsewhere(count, stream)


def several(count):
    """More GPUs than the run began with: a launcher inside of it has started as many ranks."""
    torch.cuda.device_count = torch._C._cuda_getDeviceCount = constant(count)
    if hasattr(torch, "accelerator"):
        torch.accelerator.device_count = constant(count)


@contextlib.contextmanager
def _within(*_, **__):
    yield


def _properties(gpu, capability):
    return types.SimpleNamespace(
        name=gpu["name"], total_memory=gpu["bytes"], major=capability[0], minor=capability[1],
        multi_processor_count=gpu.get("multiprocessors") or 108, is_integrated=0, is_multi_gpu_board=0,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536, warp_size=32, gcnArchName="", uuid="GPU-0",
        L2_cache_size=40 << 20, shared_memory_per_block_optin=166912, shared_memory_per_block=49152,
        shared_memory_per_multiprocessor=167936,
    )  # fmt: skip


def _stats(ledger):
    now, held = ledger.current, ledger.allocator.reserved
    most, most_held = ledger.since_reset, ledger.allocator.peak
    out = {"num_alloc_retries": 0, "num_ooms": 0, "num_sync_all_streams": 0}
    rows = [("allocated_bytes", now, most), ("active_bytes", now, most), ("requested_bytes", now, most)]
    rows += [("reserved_bytes", held, most_held), ("inactive_split_bytes", 0, 0)]
    for key, current, peak in rows:
        for pool in ("all", "small_pool", "large_pool"):
            out.update({f"{key}.{pool}.current": current, f"{key}.{pool}.peak": peak})
            out.update({f"{key}.{pool}.allocated": current, f"{key}.{pool}.freed": 0})
    return out


def _memory(cuda, total, ledger):
    cuda.mem_get_info = lambda *_, **__: (max(0, total - ledger.allocator.reserved), total)
    cuda.memory_allocated = lambda *_, **__: ledger.current
    cuda.max_memory_allocated = lambda *_, **__: ledger.since_reset
    cuda.memory_reserved = cuda.memory_cached = lambda *_, **__: ledger.allocator.reserved
    cuda.max_memory_reserved = cuda.max_memory_cached = lambda *_, **__: ledger.allocator.peak
    cuda.memory_stats = cuda.memory_stats_as_nested_dict = lambda *_, **__: _stats(ledger)
    cuda.reset_peak_memory_stats = lambda *_, **__: setattr(ledger, "since_reset", ledger.current)


def _native(count, ledger):
    answers = dict(
        _cuda_getDeviceCount=count, _cuda_getDevice=0, _cuda_setDevice=None, _cuda_synchronize=None, _cuda_emptyCache=None,
        _cuda_init=None, _cuda_exchangeDevice=0, _cuda_maybeExchangeDevice=0, _cuda_setStream=None, _cuda_getCurrentRawStream=0,
        _cuda_isCurrentStreamCapturing=False, _cuda_resetPeakMemoryStats=None, _cuda_record_memory_history=None,
        _cuda_setMemoryFraction=None,
    )  # fmt: skip
    for key, value in answers.items():
        setattr(torch._C, key, constant(value))
    if hasattr(torch._C, "_get_accelerator"):
        torch._C._get_accelerator = constant(torch.device("cuda"))
    torch._C._cuda_memoryStats = lambda *_: _stats(ledger)


def _elsewhere(count, stream):
    """What else asks for a GPU: torch.accelerator, autocast, cuDNN, modules and tensors."""
    if hasattr(torch, "accelerator"):
        answers = dict(
            is_available=True, device_count=count, current_accelerator=torch.device("cuda"), current_device_index=0,
            current_device_idx=0, set_device_index=None, set_device_idx=None, synchronize=None, current_stream=stream,
            set_stream=None, empty_cache=None,
        )  # fmt: skip
        for key, value in answers.items():
            setattr(torch.accelerator, key, constant(value))
    from torch.cuda.amp import common

    common.amp_definitely_not_available = constant(False)
    torch.backends.cudnn.is_available = constant(True)
    torch.backends.cudnn.version = constant(90100)
    _convolutions()
    torch.nn.Module.cuda = lambda self, device=None: self._apply(lambda t: t.cuda(device))
    record = torch.Tensor.record_stream
    torch.Tensor.record_stream = lambda self, s: None if isinstance(s, Stream) else record(self, s)
    torch.Tensor.pin_memory = lambda self, *_, **__: self
    torch.Tensor.is_pinned = torch.UntypedStorage.is_pinned = lambda self, *_, **__: False
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "0")


def _convolutions():
    """For depthwise ones torch may ask the driver whether cuDNN is faster: its own kernel keeps the same."""
    select, kinds = torch._C._select_conv_backend, torch._C._ConvBackend

    def selected(*args, **kwargs):
        try:
            return select(*args, **kwargs)
        except RuntimeError:
            return kinds.CudaDepthwise3d if (args[0] if args else kwargs["input"]).dim() == 5 else kinds.CudaDepthwise2d

    torch._C._select_conv_backend = selected
