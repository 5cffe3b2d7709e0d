"""The Python program that a command starts, and how many ranks it has."""

import os
import re
import shutil
import sys

from ..protocol import Refusal
from . import papermill

ASSIGNED = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
PYTHON = re.compile(r"^python[0-9.]*(\.exe)?$")
# Programs that only prepare an environment: the command follows their own words.
PREFIXES = {"env": (), "uv": ("run",), "poetry": ("run",), "pdm": ("run",), "pixi": ("run",), "time": (), "nohup": (), "exec": ()}
# Options of Python and torchrun that have no value.
PYTHON_FLAGS = re.compile(r"^-[bBdEhiIOPqsSuvVx]+$")
TORCHRUN_FLAGS = ("standalone", "no_python", "no-python", "run_path", "run-path", "use_env", "use-env")
DEEPSPEED_FLAGS = ("module", "no_python", "no_local_rank", "no_ssh", "force_multi", "enable_each_rank_log", "bind_cores_to_rank", "elastic_training")
JUPYTER = ("jupyter", "jupyter-execute", "jupyter-nbconvert", "papermill", "ipython", "ipython3")
OTHERS = {
    "bash": "it starts a shell; name the Python command in it",
    "sh": "it starts a shell; name the Python command in it",
    "make": "it starts other programs; name the Python command",
    "docker": "it starts a container; name the Python command in it",
    "srun": "it starts a Slurm step; name the Python command in it",
    "sbatch": "it starts a Slurm job; name the Python command in it",
    "mpirun": "it starts MPI ranks; name the Python command in it",
    "ray": "it starts a Ray job; name the Python command in it",
}


class Program:
    def __init__(self, kind, target, arguments, ranks):
        self.kind, self.target, self.arguments, self.ranks = kind, target, arguments, ranks


def program_of(command, gpus):
    """`gpus`: how many the user declared; None: as the command says, otherwise one."""
    words = _without_prefixes(list(command))
    if not words:
        raise Refusal("command", "there is no command to run")
    name = os.path.basename(words[0])
    if PYTHON.match(name):
        return _python(words[1:], gpus)
    if name == "torchrun":
        return _torchrun(words[1:], gpus)
    if name == "accelerate" and words[1:2] == ["launch"]:
        return _accelerate(words[2:], gpus)
    if name == "deepspeed":
        return _deepspeed(words[1:], gpus)
    if name in JUPYTER:
        return _jupyter(words, gpus)
    if name in OTHERS:
        raise Refusal("command", f"{name} cannot be run dry: {OTHERS[name]}")
    return Program("file", _script(words[0]), words[1:], gpus or 1)


def _without_prefixes(words):
    while words:
        if ASSIGNED.match(words[0]):
            name, _, value = words.pop(0).partition("=")
            if name != "CUDA_VISIBLE_DEVICES":
                os.environ[name] = value
            if name == "PYTHONPATH":  # which Python read when it began
                sys.path[1:1] = [os.path.abspath(path) for path in value.split(os.pathsep) if path]
            continue
        after = PREFIXES.get(os.path.basename(words[0]))
        if after is None or tuple(words[1 : 1 + len(after)]) != after:
            return words
        words = words[1 + len(after) :]
        while words and words[0].startswith("-"):
            words = words[1:]
    return words


def _python(words, gpus):
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c", "-"):
        words = words[1:] if PYTHON_FLAGS.match(words[0]) or len(words[0]) > 2 else words[2:]
    if not words or words[0] in ("-c", "-"):
        raise Refusal("command", "it has no program file: write python FILE or python -m MODULE")
    if words[0] == "-m":
        if len(words) < 2:
            raise Refusal("command", "python -m has no module")
        module, rest = words[1], words[2:]
        if module in ("torch.distributed.run", "torch.distributed.launch"):
            return _torchrun(rest, gpus)
        if module == "accelerate.commands.launch":
            return _accelerate(rest, gpus)
        if module in ("deepspeed", "deepspeed.launcher.runner"):
            return _deepspeed(rest, gpus)
        return Program("module", module, rest, gpus or 1)
    return Program("file", _script(words[0]), words[1:], gpus or 1)


def _script(word):
    """The file of a program: a path, or a console script of this Python."""
    beside = os.path.join(os.path.dirname(sys.executable), word)
    found = next((path for path in (word, beside) if os.path.isfile(path)), None) or shutil.which(word)
    if found is None:
        raise Refusal("command", f"{word} is not a file here")
    with open(found, "rb") as file:
        first = file.readline(200)
    if not found.endswith((".py", ".ipynb")) and b"python" not in first:
        raise Refusal("command", f"{word} is not a Python program")
    return found


def _jupyter(words, gpus):
    """`jupyter execute X.ipynb`, `jupyter nbconvert --execute X.ipynb`, `papermill X.ipynb OUT`, `ipython X.ipynb`: the notebook runs."""
    file = next((word for word in words[1:] if word.endswith((".ipynb", ".py"))), None)
    if file is None:
        raise Refusal("command", f"{words[0]} has no notebook: write jupyter execute FILE")
    if os.path.basename(words[0]) == "papermill":
        return Program("file", _script(file), papermill.arguments(words[1:]), gpus or 1)
    return Program("file", _script(file), [], gpus or 1)


def _torchrun(words, gpus):
    each, nodes = None, 1
    module = False
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "-m" or word == "--module":
            module = True
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        if name in TORCHRUN_FLAGS:
            continue
        if not has_value:
            value = words.pop(0) if words else ""
        name = name.replace("-", "_")
        if name == "nproc_per_node":
            each = int(value) if value.isdigit() else None
        if name == "nnodes":
            nodes = int(value.split(":")[-1]) if value.split(":")[-1].isdigit() else 1
    if not words:
        raise Refusal("command", "torchrun has no program")
    ranks = gpus or (each or 1) * nodes
    if module:
        return Program("module", words[0], words[1:], ranks)
    return Program("file", _script(words[0]), words[1:], ranks)


def _deepspeed(words, gpus):
    """DeepSpeed's launcher: its options have values but for a few, then the program."""
    each, nodes, module = None, 1, False
    while words and words[0].startswith("-"):
        name, has_value, value = words.pop(0).lstrip("-").partition("=")
        if name in DEEPSPEED_FLAGS:
            module = module or name == "module"
            continue
        if not has_value:
            value = words.pop(0) if words else ""
        if name == "num_gpus" and value.isdigit():
            each = int(value)
        if name in ("include", "i") and ":" in value:
            each = len(value.split(":")[-1].split(","))
        if name == "num_nodes" and value.isdigit():
            nodes = int(value)
    if not words:
        raise Refusal("command", "deepspeed has no program")
    ranks = gpus or (each or 1) * nodes
    if module:
        return Program("module", words[0], words[1:], ranks)
    return Program("file", _script(words[0]), words[1:], ranks)


def _accelerate(words, gpus):
    """accelerate's own launcher says what it would start, with which variables."""
    try:
        from accelerate.commands import launch
    except ImportError as error:
        raise Refusal("packages", f"{sys.executable} has no accelerate", missing=["accelerate"], executable=sys.executable) from error
    given = launch.launch_command_parser().parse_args(words)
    given, *_ = launch._validate_launch_command(given)
    for key, words in ACCELERATE.items():
        if getattr(given, key, False):
            raise Refusal("parallel", f"{words} cannot be followed by a dry run of a program")
    is_deepspeed = getattr(given, "use_deepspeed", False)
    if is_deepspeed:
        from accelerate.utils.launch import prepare_deepspeed_cmd_env

        _, environment = prepare_deepspeed_cmd_env(given)
        os.environ.update({key: value for key, value in environment.items() if key.startswith("ACCELERATE_")})
    elif getattr(given, "use_fsdp", False):
        from accelerate.utils.launch import prepare_multi_gpu_env as variables

        os.environ.update({key: value for key, value in variables(given).items() if key.startswith(("ACCELERATE_", "FSDP_"))})
    else:
        from accelerate.utils.launch import prepare_simple_launcher_cmd_env as variables

        _, environment = variables(given)
        os.environ.update({key: value for key, value in environment.items() if key.startswith("ACCELERATE_")})
    ranks = gpus or (given.num_processes or 1 if given.multi_gpu or is_deepspeed or getattr(given, "use_fsdp", False) else 1)
    arguments = list(given.training_script_args)
    if given.module:
        return Program("module", given.training_script, arguments, ranks)
    return Program("file", _script(given.training_script), arguments, ranks)


ACCELERATE = {
    "use_megatron_lm": "Megatron's parallelism",
    "use_parallelism_config": "tensor and context parallelism",
    "tpu": "a TPU",
    "cpu": "a run on the CPU",
}
