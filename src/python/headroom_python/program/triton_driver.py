"""Triton without a GPU: kernels do nothing, and the driver, which autotuned kernels ask when they are defined, is of the GPU that is not there."""

import torch


def install():
    try:
        from triton.runtime import autotuner, driver, jit
    except ImportError:
        return
    # A kernel writes into tensors that were allocated before: left out, the memory is the same.
    for part in (jit.JITFunction, autotuner.Autotuner, autotuner.Heuristics):
        part.run = lambda self, *args, **kwargs: None
    if hasattr(driver, "set_active"):  # since 3.0; before, nothing asks it
        driver.set_active(Driver())


class Utilities:
    def get_device_properties(self, device):
        properties = torch.cuda.get_device_properties(device)
        return {
            **{"max_shared_mem": properties.shared_memory_per_block_optin, "multiprocessor_count": properties.multi_processor_count},
            **{"warpSize": properties.warp_size, "max_num_regs": properties.regs_per_multiprocessor, "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0},
        }


class Driver:
    """As triton/backends/driver.py names its parts."""

    utils = Utilities()

    @classmethod
    def is_active(cls):
        return True

    def get_device_capability(self, device=0):
        return torch.cuda.get_device_capability(device)

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        major, minor = self.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_current_device(self):
        return torch.cuda.current_device()

    def get_current_stream(self, device=None):
        return 0

    def set_current_device(self, device):
        pass

    def get_device_interface(self):
        return torch.cuda

    def get_active_torch_device(self):
        return torch.device("cuda", torch.cuda.current_device())

    def get_benchmarker(self):
        return lambda kernel_call, quantiles=None, **_: [1.0] * len(quantiles or (0,))

    def get_empty_cache_for_benchmark(self):
        return torch.empty(0, dtype=torch.int, device="cuda")

    def clear_cache(self, cache):
        pass
