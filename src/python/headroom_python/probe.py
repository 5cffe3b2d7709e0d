"""A probe: two real steps on one GPU, with no more memory than is allowed."""

import os

from .environment import need
from .protocol import Refusal


def probe(request, channel):
    found = need(["torch"] + (["transformers"] if request["model"]["kind"] == "transformers" else []))
    import torch

    if int(os.environ.get("RANK", "0")) != 0:
        raise Refusal("rank", "one rank probes: start it without a launcher of several")
    if not torch.cuda.is_available():
        raise Refusal("gpu", "there is no CUDA GPU here: a probe makes real steps (a dry run needs none)")
    if request.get("quantization"):
        raise Refusal("quantization", "quantised weights are made of a checkpoint, which a probe does not load")
    free, total = torch.cuda.mem_get_info(0)
    allowed = min(int(request["allowedBytes"]), free)
    # torch itself stops at this: what others need of the GPU is never taken.
    torch.cuda.set_per_process_memory_fraction(max(0.0, min(1.0, allowed / total)), 0)
    channel.progress(f"Two steps with {request['rows']} rows")
    ran = _two_steps(request, torch)
    channel.say(
        "result",
        versions=found,
        gpu=torch.cuda.get_device_name(0),
        ran=ran,
        allocated=torch.cuda.max_memory_allocated(0),
        reserved=torch.cuda.max_memory_reserved(0),
    )


def _two_steps(request, torch):
    try:
        run = _run_of(request, torch)
        optimizer = run.make_optimizer(list(run.model.parameters()))
        for _ in range(2):
            for _ in range(2 if request.get("accumulates") else 1):
                run.make_loss(run.make_batch()).backward()
            if optimizer is not None:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize(0)
        return True
    except torch.cuda.OutOfMemoryError:
        return False


def _run_of(request, torch):
    if request["model"]["kind"] == "entry":
        from .user_module import run_of

        with torch.device("cuda"):
            run = run_of(request)
        run.model.to("cuda")
        return run
    from .library_models import DTYPES, config_of, model_of
    from .steps import library_run

    dtype = DTYPES[request["weights"]]
    config = config_of(request["model"]["config"])
    with torch.device("cuda"):
        model = model_of(config, request["head"], dtype, request.get("attention", "sdpa"))
    return library_run(model, config, request, dtype)
