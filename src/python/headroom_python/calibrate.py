"""What one GPU reaches: products of matrices and copies, timed from outside, within a few seconds and an eighth of free memory."""

import time

from .device import device_of
from .environment import need
from .protocol import Refusal

# Share of free memory: what else runs here keeps its room.
SHARE = 1 / 8
SECONDS = 3.0
LARGEST = 16384
# A product that takes this long has no start to speak of.
LONG = 0.01


def calibrate(request, channel):
    found = need(["torch"])
    device = device_of(request)
    import torch

    room = int(device.room()[0] * SHARE)
    seconds = min(SECONDS, float(request.get("seconds") or SECONDS))
    rates = {}
    for name, dtype in (("half", half_of(torch, device)), ("fp32", torch.float32)):
        channel.progress(f"Products of matrices in {str(dtype).removeprefix('torch.')}")
        rates[name] = products(torch, device, dtype, room, seconds)
    channel.progress("Copies")
    copied = copies(torch, device, room, seconds)
    steady = min(one["steady"] for one in (*rates.values(), copied))
    amounts = {name: one["rate"] for name, one in rates.items()}
    channel.say("calibrated", gpu=device.name(), flops=amounts, bytesPerSecond=copied["rate"], steady=steady, versions=found)


def half_of(torch, device):
    """bf16 where the GPU computes in it, else fp16."""
    if device.kind == "cuda" and torch.cuda.get_device_capability(0) < (8, 0):
        return torch.float16
    return torch.bfloat16


def products(torch, device, dtype, room, seconds):
    size = 512
    while True:
        a, b = (torch.randn(size, size, dtype=dtype, device=device.kind) for _ in range(2))
        out = torch.mm(a, b)
        device.wait()
        once = timed(device, lambda: torch.mm(a, b, out=out))
        larger = 2 * size
        if once >= LONG or larger > LARGEST or 3 * larger * larger * out.element_size() > room:
            break
        size = larger
    return rate_of(device, lambda: torch.mm(a, b, out=out), 2 * size**3, seconds, once)


def copies(torch, device, room, seconds):
    """Bytes read and written in a second."""
    count = max(2**20, min(2**30, room // 2))
    source = torch.zeros(count, dtype=torch.uint8, device=device.kind)
    to = torch.empty_like(source)
    to.copy_(source)
    device.wait()
    once = timed(device, lambda: to.copy_(source))
    return rate_of(device, lambda: to.copy_(source), 2 * count, seconds, once)


def timed(device, work):
    before = time.perf_counter()
    work()
    device.wait()
    return time.perf_counter() - before


def rate_of(device, work, amount, seconds, once):
    """The middle of several spells' rates; `steady`: the slowest over the fastest of the later half, when clocks have settled."""
    spell = max(1, int(seconds / 10 / max(once, 1e-6)))
    rates, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(rates) < 2:
        before = time.perf_counter()
        for _ in range(spell):
            work()
        device.wait()
        rates.append(amount * spell / (time.perf_counter() - before))
    later = sorted(rates[len(rates) // 2 :])
    if later[0] <= 0:
        raise Refusal("gpu", "the GPU's clock does not advance")
    return {"rate": later[len(later) // 2], "steady": later[0] / later[-1]}
