"""Python programs that the program starts: the command lines of ms-swift, Axolotl and TRL do nothing else. They run inside of it."""

import contextlib
import os
import re
import runpy
import shlex
import subprocess
import sys

from ..protocol import Refusal
from . import cuda, notebooks, ranks
from .imported import when_imported
from .launch import PYTHON, Program, program_of

LAUNCHERS = ("torchrun", "accelerate", "deepspeed")
# What they do is nothing that training needs.
INSTALLERS = ("pip", "ensurepip", "venv")


def run(program):
    """As Python starts it: raises what the program raises."""
    is_notebook = program.kind == "file" and notebooks.is_notebook(program.target)
    sys.argv = [program.target, *(() if is_notebook else program.arguments)]
    if program.kind == "module":
        runpy.run_module(program.target, run_name="__main__", alter_sys=True)
    elif is_notebook:
        notebooks.run(program.target, starts, *program.arguments)
    else:
        runpy.run_path(program.target, init_globals=notebooks.names_of(program.target, starts), run_name="__main__")


def install():
    really = subprocess.Popen

    class Popen(really):
        inside = False  # also where an answer stands in for the process

        def __init__(self, args, *others, **kwargs):
            program = None if others or kwargs.get("stdout") == subprocess.PIPE else _program(args, kwargs)
            self.inside = program is not None
            if not self.inside:
                super().__init__(args, *others, **kwargs)
                return
            self.args, self.stdin, self.stdout, self.stderr, self.pid = args, None, None, None, os.getpid()
            self.returncode = _inside(program, kwargs.get("env"), kwargs.get("cwd"))

        def wait(self, timeout=None):
            return self.returncode if self.inside else super().wait(timeout)

        def poll(self):
            return self.returncode if self.inside else super().poll()

        def communicate(self, input=None, timeout=None):
            return (None, None) if self.inside else super().communicate(input, timeout)

    subprocess.Popen = Popen
    for name in ("execv", "execve", "execvp", "execvpe"):
        setattr(os, name, _replacing(getattr(os, name), has_environment=name.endswith("e")))
    when_imported("torch.distributed.run", _elastic)


def starts(words):
    """Whether a command line starts a training program."""
    return _program(words, {}) is not None


def _program(args, kwargs):
    """The training program that a command line starts; None: it is something else, which is not started."""
    if isinstance(args, str):
        words = [] if re.search(r"[|;&<>`$]", args) else shlex.split(args)
    else:
        words = [os.fsdecode(word) for word in args]
    name = os.path.basename(words[0]) if words else ""
    if not PYTHON.match(name) and name not in LAUNCHERS or words[1:2] == ["-m"] and words[2:3] and words[2] in INSTALLERS:
        return None
    try:
        with _at(kwargs.get("cwd")):
            return program_of(words, None)
    except Refusal:
        return None


def _inside(program, environment=None, folder=None):
    """Its exit code. Its errors are those of the whole run, which has nothing else to train."""
    argv, path, before = sys.argv, list(sys.path), dict(os.environ)
    os.environ.update(environment or {})
    if program.ranks > 1 and "WORLD_SIZE" not in os.environ:
        ranks.environment(program.ranks)
        cuda.several(program.ranks)
    try:
        with _at(folder):
            sys.path.insert(0, os.path.dirname(os.path.abspath(program.target)) if program.kind == "file" else os.getcwd())
            run(program)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    finally:
        sys.argv, sys.path[:] = argv, path
        os.environ.clear()
        os.environ.update(before)
    return 0


@contextlib.contextmanager
def _at(folder):
    before = os.getcwd()
    if folder is not None:
        os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _replacing(really, has_environment):
    def exec(file, args, *environment):
        program = _program(args, {})
        if program is None:
            return really(file, args, *environment)
        raise SystemExit(_inside(program, environment[0] if has_environment else None))

    return exec


def _elastic(module):
    """What torchrun does once it knows its words; accelerate's launcher calls it too."""

    def run_all(given):
        each, nodes = str(given.nproc_per_node), str(given.nnodes).split(":")[-1]
        count = (int(each) if each.isdigit() else 1) * (int(nodes) if nodes.isdigit() else 1)
        kind = "module" if given.module else "file"
        _inside(Program(kind, given.training_script, list(given.training_script_args), count))

    module.run = run_all
