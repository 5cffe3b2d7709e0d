"""A dry run: the real model code, forward, backward and optimizer step, on tensors that have no data."""

import os
import sys
import time
import warnings

from .environment import need
from .extrapolate import agree, extrapolated
from .protocol import Refusal

warnings.filterwarnings("ignore")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
# Nothing is downloaded: the config is in the request, and weights are not needed.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"

# Up to this many layers the whole model runs; above, two, three and four layers are extrapolated to all.
QUICK_LAYERS = 12


def dry_run(request, channel):
    model = request["model"]
    packages = ["torch"]
    if model["kind"] == "transformers":
        packages += ["transformers"] + (["peft"] if request.get("adapters") else [])
    found = need(packages)
    channel.progress("Loading torch" + (" and transformers" if "transformers" in packages else ""))
    started = time.monotonic()
    from . import guard

    guard.install(request["cacheFolder"])
    counted = _explained(lambda: (_library if model["kind"] == "transformers" else _entry)(request, channel))
    seconds = round(time.monotonic() - started, 2)
    channel.say("result", versions=found, seconds=seconds, **counted)


def _explained(work):
    """torch has its own exceptions for operations that depend on data."""
    from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
    from torch._subclasses.fake_tensor import UnsupportedFakeTensorException, UnsupportedOperatorException

    try:
        return work()
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise Refusal(
            "data-dependent",
            f"its code depends on the values of tensors ({str(error)[:120]}): a dry run has none",
        ) from error
    except (UnsupportedFakeTensorException, UnsupportedOperatorException) as error:
        raise Refusal("operator", f"it calls {str(error)[:120]}, which a dry run cannot follow") from error
    except (NotImplementedError, RuntimeError) as error:
        text = str(error)
        for sign, sentence in UNFOLLOWED.items():
            if sign in text:
                raise Refusal("operator", f"{sentence}: {text.strip().splitlines()[0][:160]}") from error
        raise


UNFOLLOWED = {
    "triton": "it runs Triton kernels, which a dry run cannot follow",
    "Triton": "it runs Triton kernels, which a dry run cannot follow",
    "data-dependent": "its code depends on the values of tensors, of which a dry run has none",
    "data ptr": "a kernel of an extension asks for data, of which a dry run has none",
    "data pointer": "a kernel of an extension asks for data, of which a dry run has none",
    "No CUDA GPUs are available": "its code needs a real GPU",
    "Found no NVIDIA driver": "its code needs a real GPU",
    "Cannot access data pointer": "a kernel of an extension asks for data, of which a dry run has none",
}


def _library(request, channel):
    from .library_models import config_of

    config = config_of(request["model"]["config"])
    layers = getattr(config, "num_hidden_layers", None)
    wanted = request.get("layers", "auto")
    few = layers is not None and _alike(config) and (wanted == "few" or (wanted == "auto" and layers > QUICK_LAYERS))
    if few and layers > 4:
        counted = _from_few(request, layers, channel)
        if counted:
            return counted
        channel.progress("Two, three and four layers do not lie on a line: counting all of them")
    channel.progress("Counting two steps" if request["training"] else "Counting a forward pass")
    return _told(_count(request, None), None)


def _alike(config):
    """Models with several kinds of layers run whole."""
    from .library_models import text_config

    text = text_config(config)
    kinds = getattr(text, "layer_types", None)
    dense_first = getattr(text, "first_k_dense_replace", 0) or getattr(text, "decoder_sparse_step", 1) not in (0, 1, None)
    return text is config and (not kinds or len(set(kinds)) == 1) and not dense_first and not getattr(text, "is_encoder_decoder", False)


def _from_few(request, layers, channel):
    counts = []
    for number in (2, 3, 4):
        channel.progress(f"Counting two steps of {number} of {layers} layers")
        counts.append(_count(request, number))
    two, three, four = counts
    phases, _ = extrapolated(4, 2, two["moments"], three["moments"])
    if not agree(phases, four["phases"]):
        return None
    phases, alive = extrapolated(layers, 3, three["moments"], four["moments"])
    each = {name: four[name] - three[name] for name in ("parameters", "trained")}
    whole = {name: four[name] + each[name] * (layers - 4) for name in each}
    operations = sum(one["operations"] for one in counts)
    return _told({**four, **whole, "phases": phases, "alive": alive, "operations": operations, "reserved": None}, [2, 3, 4])


def _count(request, layers):
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    from .kernels import cuda_attention
    from .library_models import DTYPES, config_of, model_of, say_whether_padded, uninitialised
    from .steps import count, library_run

    dtype = DTYPES[request["weights"]]
    say_whether_padded(bool(request.get("padded")))
    config = config_of(request["model"]["config"], layers)

    def make():
        with torch.device("cuda"), uninitialised():
            return model_of(config, request["head"], dtype, request.get("attention", "sdpa"))

    with FakeTensorMode(allow_non_fake_inputs=True), cuda_attention():
        return count(library_run(make, config, request, dtype), request)


def _entry(request, channel):
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    from .kernels import cuda_attention
    from .steps import count
    from .user_module import run_of

    channel.progress(f"Asking {request['model']['entry']} for its model")
    with FakeTensorMode(allow_non_fake_inputs=True), cuda_attention():
        with torch.device("cuda"):
            run = run_of(request)
        _as_transformers_runs()
        channel.progress("Counting two steps")
        return _told(count(run, request), None)


def _as_transformers_runs():
    """Gives code with a transformers model the masks of a real run instead of those made while tracing."""
    if "transformers" not in sys.modules:
        return
    from .library_models import say_whether_padded

    try:
        say_whether_padded(False)
    except Refusal:
        return  # It is not known how older releases make masks, so theirs are not changed.


def _told(counted, layers):
    told = {name: value for name, value in counted.items() if name != "moments"}
    return {**told, "fromLayers": layers}
