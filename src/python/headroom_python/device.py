"""The GPU that a probe measures, behind an interface that tests replace."""

import importlib.util
import os
import shutil
import subprocess

from .protocol import Refusal


class CudaDevice:
    """The first GPU that is visible to this process, measured with torch's counters."""

    kind = "cuda"

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise Refusal("gpu", "there is no CUDA GPU here: a probe makes real steps (a dry run needs none)")
        self.cuda = torch.cuda

    def name(self):
        return self.cuda.get_device_name(0)

    def room(self):
        """Free and total bytes."""
        return self.cuda.mem_get_info(0)

    def limit(self, allowed):
        """Limits torch itself, so that it never takes memory that others need."""
        _, total = self.room()
        self.cuda.set_per_process_memory_fraction(max(0.0, min(1.0, allowed / total)), 0)

    def peaks(self):
        """The peaks of allocated and reserved bytes since the last `begin`."""
        return self.cuda.max_memory_allocated(0), self.cuda.max_memory_reserved(0)

    def begin(self):
        self.cuda.reset_peak_memory_stats(0)

    def wait(self):
        self.cuda.synchronize(0)

    def of_process(self):
        """Memory of this process as the driver shows it; None if it shows no processes (containers, MIG)."""
        tool = shutil.which("nvidia-smi")
        if tool is None:
            return None
        command = [tool, "--query-compute-apps=pid,used_gpu_memory", "--format=csv,noheader,nounits"]
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout
        except (OSError, subprocess.SubprocessError):
            return None
        rows = [[cell.strip() for cell in line.split(",")] for line in said.splitlines()]
        amounts = [int(row[1]) for row in rows if len(row) == 2 and row[0] == str(os.getpid()) and row[1].isdigit()]
        return sum(amounts) * 2**20 if amounts else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def device_of(request):
    """CUDA's device, or `Device` from the file that the request names."""
    path = request.get("device")
    if path is None:
        return CudaDevice()
    spec = importlib.util.spec_from_file_location("headroom_device", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Device()
