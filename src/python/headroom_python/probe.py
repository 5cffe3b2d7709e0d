"""One try of a probe: two real steps on one GPU, within the allowed memory. It has its own process, which ends with it."""

from .device import device_of
from .environment import need
from .protocol import Refusal

# Share of the memory that is free at the start: other processes may need a little more.
MARGIN = 0.9

# Messages of torch, the driver, and libraries that allocate outside torch.
RAN_OUT = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED")


def probe(request, channel):
    found = need(["torch"] + (["transformers"] if request["model"]["kind"] == "transformers" else []))
    if request.get("quantization"):
        raise Refusal("quantization", "quantised weights are made of a checkpoint, which a probe does not load")
    device = device_of(request)
    free, total = device.room()
    allowed = int(min(free * MARGIN, request.get("allowedBytes") or total))
    rows = request["rows"] or rows_in(allowed, request)
    channel.progress(f"Two steps with {rows} row{'' if rows == 1 else 's'}")
    device.limit(allowed)
    ran, told = _two_steps({**request, "rows": rows, "on": device.kind}, device)
    channel.say("result", versions=found, gpu=device.name(), rows=rows, allowed=allowed, ran=ran, **told)


def rows_in(allowed, request):
    """The largest number of rows that fits by the estimate, at most the batch of the run."""
    estimate, wanted = request.get("estimate"), request.get("wanted") or 1
    if not estimate:
        return wanted
    fits = (allowed - estimate["fixedBytes"]) // max(1, estimate["rowBytes"])
    return max(1, int(min(fits, wanted)))


def _two_steps(request, device):
    import torch

    from .account import Account
    from .steps import measure

    account = Account(device)
    try:
        with device:
            measure(_run_of(request, torch), request, account)
            device.wait()
            return True, {**account.told(), "device": device.of_process()}
    except RuntimeError as error:
        if not any(sign in str(error) for sign in RAN_OUT):
            raise
        return False, {**account.told(), "device": None}


def _run_of(request, torch):
    on = request["on"]
    if request["model"]["kind"] == "entry":
        from .user_module import run_of

        with torch.device(on):
            run = run_of(request, on)
        run.model.to(on)
        return run
    from .library_models import DTYPES, config_of, model_of
    from .steps import library_run

    dtype = DTYPES[request["weights"]]
    config = config_of(request["model"]["config"])

    def make():
        with torch.device(on):
            return model_of(config, request["head"], dtype, request.get("attention", "sdpa"))

    return library_run(make, config, request, dtype)
