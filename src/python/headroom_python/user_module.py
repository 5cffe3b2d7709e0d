"""The user's own code: `module:function` returns the model, the way to make a batch, the loss and the optimizer.

    def run(settings):
        model = Net(settings["width"])
        return {
            "model": model,
            "batch": lambda rows: (torch.zeros(rows, 3, 224, 224), torch.zeros(rows, dtype=torch.long)),
            "loss": lambda model, batch: F.cross_entropy(model(batch[0]), batch[1]),
            "optimizer": lambda parameters: torch.optim.AdamW(parameters),
        }

`loss` and `optimizer` are optional: without them the model returns its loss, and AdamW is used. A Lightning module may be
returned as "model": its own training_step and configure_optimizers are used.
"""

import contextlib
import importlib
import pathlib
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
        name = (error.name or "").partition(".")[0]
        if is_own(name, folder):
            raise Refusal("entry", f"{module_name} imports {error.name}, which is not found from {folder}: run the command in the folder that has {name}") from error
        if name and name != module_name.partition(".")[0]:
            raise Refusal("packages", f"{module_name} needs {name}, which this Python does not have", missing=[name]) from error
        raise Refusal("entry", f"there is no module {module_name} in {folder}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise Refusal("entry", f"{module_name} has no function {name}")
    return found


@contextlib.contextmanager
def replacing_parameters():
    """Lets `model.to(...)`, `.half()` and PEFT convert parameters without data: torch swaps them, which fails while other
    references exist, so they are replaced here. Tied parameters stay tied."""
    convert = torch.nn.Module._apply
    torch.nn.Module._apply = replaced
    try:
        yield
    finally:
        torch.nn.Module._apply = convert


def replaced(module, fn, recurse=True):
    if not hasattr(fn, "converted"):
        fn.converted = {}
    if recurse:
        for child in module.children():
            child._apply(fn)
    for name, parameter in module._parameters.items():
        if parameter is not None:
            module._parameters[name] = converted(parameter, fn)
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = fn(buffer)
    return module


def converted(parameter, fn):
    """The same parameter if nothing changes; keeps the original alive, so that its id is not reused."""
    _, made = fn.converted.get(id(parameter), (None, None))
    if made is None:
        with torch.no_grad():
            applied = fn(parameter)
        made = parameter if applied is parameter else torch.nn.Parameter(applied, parameter.requires_grad)
        fn.converted[id(parameter)] = (parameter, made)
    return made


def is_own(name, folder):
    """True for a package near the user's code: it is the user's own and cannot be installed."""
    if not name:
        return False
    near = [folder, *list(pathlib.Path(folder).parents)[:4]]
    places = [pathlib.Path(one) for one in near] + [one for one in pathlib.Path(folder).glob("*") if one.is_dir()]
    return any((one / name).is_dir() or (one / f"{name}.py").is_file() for one in places)


def parts_of(request):
    model = request["model"]
    with replacing_parameters():
        made = function_of(model["entry"], model["folder"])(model.get("settings") or {})
    parts = made if isinstance(made, dict) else {"model": made}
    if not isinstance(parts.get("model"), torch.nn.Module):
        raise Refusal("entry", f"{model['entry']} returned no torch module as \"model\"")
    if not callable(parts.get("batch")):
        raise Refusal("entry", f"{model['entry']} returned no function as \"batch\": rows -> a batch")
    return parts


def run_of(request, device="cuda"):
    """Moves it to the device whose tensors are counted."""
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
    """Lightning allows an optimizer, a dictionary, a list of them, or two lists."""
    while isinstance(configured, (list, tuple)):
        configured = configured[0]
    return configured["optimizer"] if isinstance(configured, dict) else configured
