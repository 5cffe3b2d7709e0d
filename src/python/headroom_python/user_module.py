"""The user's own code: `module:function` returns the model, how a batch comes about, the loss and the optimizer.

    def run(settings):
        model = Net(settings["width"])
        return {
            "model": model,
            "batch": lambda rows: (torch.zeros(rows, 3, 224, 224), torch.zeros(rows, dtype=torch.long)),
            "loss": lambda model, batch: F.cross_entropy(model(batch[0]), batch[1]),
            "optimizer": lambda parameters: torch.optim.AdamW(parameters),
        }

`loss` and `optimizer` may be left out: the model then returns its loss, and AdamW steps. A Lightning module may be returned in
place of the dictionary's "model": its own training_step and configure_optimizers are used.
"""

import importlib
import sys

import torch

from .protocol import Refusal
from .steps import Run


def function_of(entry, folder):
    module_name, separator, name = entry.partition(":")
    if not separator or not module_name or not name:
        raise Refusal("entry", f"--entry {entry}: it is written module:function")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and not module_name.startswith(error.name):
            raise Refusal("packages", f"{module_name} needs {error.name}, which this Python does not have", missing=[error.name]) from error
        raise Refusal("entry", f"there is no module {module_name} in {folder}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise Refusal("entry", f"{module_name} has no function {name}")
    return found


def parts_of(request):
    model = request["model"]
    made = function_of(model["entry"], model["folder"])(model.get("settings") or {})
    parts = made if isinstance(made, dict) else {"model": made}
    if not isinstance(parts.get("model"), torch.nn.Module):
        raise Refusal("entry", f"{model['entry']} returned no torch module as \"model\"")
    if not callable(parts.get("batch")):
        raise Refusal("entry", f"{model['entry']} returned no function as \"batch\": rows -> a batch")
    return parts


def run_of(request, device="cuda"):
    """On the device where its tensors are counted."""
    parts = parts_of(request)
    model = parts["model"]
    model.train(request["training"])
    autocast = request.get("autocast")

    def batch():
        return moved(parts["batch"](request["rows"]), device)

    def loss(batch):
        from .library_models import DTYPES

        with torch.autocast(device, dtype=DTYPES[autocast or "bf16"], enabled=autocast is not None):
            return scalar(own_loss(parts)(model, batch), model_name(request))

    return Run(model, batch, loss, own_optimizer(parts))


def model_name(request):
    return request["model"]["entry"]


def moved(batch, device):
    from torch.utils._pytree import tree_map

    return tree_map(lambda x: x.to(device) if isinstance(x, torch.Tensor) and x.device.type != device else x, batch)


def scalar(loss, entry):
    if isinstance(loss, dict):
        loss = loss.get("loss")
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        raise Refusal("entry", f"{entry}: its loss is no scalar tensor")
    return loss


def own_loss(parts):
    if callable(parts.get("loss")):
        return parts["loss"]
    if hasattr(parts["model"], "training_step"):
        return lambda model, batch: model.training_step(batch, 0)
    return lambda model, batch: model(**batch) if isinstance(batch, dict) else model(*batch)


def own_optimizer(parts):
    if callable(parts.get("optimizer")):
        return lambda parameters: parts["optimizer"]([p for p in parameters if p.requires_grad])
    if hasattr(parts["model"], "configure_optimizers"):
        return lambda parameters: first_optimizer(parts["model"].configure_optimizers())
    return lambda parameters: torch.optim.AdamW([p for p in parameters if p.requires_grad], foreach=True)


def first_optimizer(configured):
    """Lightning lets one return an optimizer, a dictionary, a list of them, or two lists."""
    while isinstance(configured, (list, tuple)):
        configured = configured[0]
    return configured["optimizer"] if isinstance(configured, dict) else configured
