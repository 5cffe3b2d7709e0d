"""The dry run of a program: everything is put in place, the program runs until it has stepped, and the process is gone."""

import os
import sys
import threading
import time
import warnings

from ..environment import need
from ..protocol import Refusal
from . import code, limits, packages, releases

OFFLINE = {
    **{"CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"},
    **{"WANDB_MODE": "disabled", "WANDB_DISABLED": "true", "COMET_MODE": "DISABLED"},
    **{"NEPTUNE_MODE": "debug", "CLEARML_OFFLINE_MODE": "1", "TOKENIZERS_PARALLELISM": "false", "YOLO_OFFLINE": "true"},
    **{"PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"},
}
# Before, tensors' storages outlive them, so that the counts grow with each step.
LEAST_TORCH = (2, 2)
LOOK_S = 0.5
# A busy machine may stretch the time limit up to this many times; the parent ends it then.
MOST_STRETCH = 4


def run_program(request, channel):
    Run(request, channel).start()


class Run:
    def __init__(self, request, channel):
        self.request, self.channel = request, channel
        self.began, self.finished = time.monotonic(), False
        self.lock = threading.Lock()
        self.notes, self.refused = Notes(), {}

    # ---- before the program
    def start(self):
        request, scratch = self.request, self.request["scratch"]
        self.versions = need(["torch"], LEAST_TORCH)
        need(["numpy"])
        os.environ.update(OFFLINE, MLFLOW_TRACKING_URI=f"file://{scratch}/mlflow")
        sys.dont_write_bytecode = True
        for name in ("TMPDIR", "TEMP", "TMP"):
            os.environ[name] = scratch
        os.chdir(request["folder"])
        self.channel.progress("Loading torch")
        from .launch import program_of

        program = program_of(request["command"], request.get("gpus"))
        self._torch(program)
        self._close(scratch)
        threading.Thread(target=self._limits, daemon=True).start()
        self.channel.progress("Running the program on tensors without data")
        self._work(program)

    def _torch(self, program):
        import torch

        if getattr(torch.version, "hip", None):
            raise Refusal("device", "this torch is built for ROCm, and a dry run follows CUDA only")
        if torch.cuda.is_available():
            raise Refusal("device", "a real GPU answers although none is visible, so it is not run dry")
        from .. import guard
        from . import accounts, asked, compiled, cuda, diffusion, gate, hydra, lengths, loading, mmcv_ops, models, ms_swift, pictures, processors, quantized, ranks, repeats, sentences, speech, stand_ins, tokens, trainers, whisper
        from .ledger import Ledger
        from .steps import Steps

        warnings.filterwarnings("ignore")
        ranks_, folder = program.ranks, self.request["folder"]
        if ranks_ > 1:
            ranks.environment(ranks_)
        self.ledger = Ledger(folder)
        self.gate = gate.Gate(self.ledger)
        guard.install(self.request["cacheFolder"])
        cuda.install(self.request["gpu"], ranks_, self.ledger)
        gate.install(self.gate)
        stand_ins.install(self.gate, self.notes)
        loading.install(self.gate, self.notes)
        pictures.install(self.notes)
        catalog = models.Catalog(self.request.get("models"))
        models.install(self.notes, catalog)
        tokens.install(self.notes, catalog)
        processors.install(self.notes, catalog)
        diffusion.install(self.notes)
        whisper.install(self.notes)
        speech.install(self.notes)
        hydra.install(self.notes)
        quantized.bitsandbytes.install(self.gate)
        mmcv_ops.install(self.notes)
        packages.install(self.notes, folder)
        asked.install(self.notes)
        accounts.install(self.notes)
        own_lengths = lengths.install(self.notes)
        ms_swift.install(self.notes, own_lengths)
        self.steps = Steps(self.ledger, self.request.get("steps", 2), lambda: self.done("finished"), repeats.Repeats(self.notes))
        trainers.install(self.notes, own_lengths, self.steps)
        sentences.install(self.notes)
        ranks.install(self.gate, self.notes, ranks_)
        self.steps.install()
        compiled.install(self.gate, self.notes, self.steps)

    def _close(self, scratch):
        import collections

        from . import answers, coco, downloads, folders, made_up, needed, openmm, overlay, readers, records, sandbox, started, tables, vocabularies, yolo

        self.refused = collections.Counter()
        self.overlay = overlay.Overlay(scratch, made_up.MadeUp(self.notes))
        self.sandboxed = sandbox.closed([scratch])
        sandbox.watch(self.refused)
        self.overlay.install()
        sandbox.quiet(lambda path: os.makedirs(path, exist_ok=True), self.refused)
        started.install()
        needed.install(self.notes)
        answers.install(self.notes, self.request["gpu"])
        records.install(self.notes)
        readers.install(self.overlay, self.notes)
        tables.install(self.overlay, self.notes)
        yolo.install(self.overlay, self.notes)
        coco.install(self.overlay, self.notes)
        openmm.install(self.overlay, self.notes)
        downloads.install(self.notes)
        vocabularies.install(self.overlay, self.notes)
        folders.install(self.overlay, self.notes)

    def _limits(self):
        """Ends the run when it takes too long or too much memory; what was seen by then is reported."""
        seconds, most = self.request["seconds"], self.request.get("memory") or limits.most_memory()
        waited = limits.waited()
        while not self.finished:
            time.sleep(LOOK_S)
            passed = time.monotonic() - self.began
            if max(passed - (limits.waited() - waited), passed / MOST_STRETCH) > seconds:
                self.done("out of time")
            if limits.resident() > most:
                self.done("out of memory")

    # ---- the program
    def _work(self, program):
        from . import started

        folder = self.request["folder"]
        sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(self.request["script"]))]
        sys.path.insert(0, os.path.dirname(os.path.abspath(program.target)) if program.kind == "file" else folder)
        try:
            with self.gate:
                started.run(program)
            self.done("ended")
        except SystemExit as error:
            why = error.__context__  # Hydra and others print an error and exit.
            if error.code not in (None, 0) and why is not None and self.steps.finished == 0:
                self.failed(why)
            self.done("ended", error.code)
        except BaseException as error:  # The program may raise anything.
            self.failed(error)

    def failed(self, error):
        refusal = _refusal_in(error) or self._other_reason(error)
        with self.lock:
            if self.finished:
                return
            self.finished = True
            if refusal is not None:
                self.channel.say("refused", **refusal.fields())
            else:
                self.channel.failed(error, code.place_of(error, self.request["folder"]))
        _gone(1)

    def _other_reason(self, error):
        """Of an error that is not the program's own: the release of a library, or a text that nobody can make up."""
        kind, words = "release", releases.words_of(error, packages.is_library)
        if words is None and (texts := self.overlay.made_up.texts_in(error)):
            kind, words = "data", f"the program needs what is in {' or '.join(texts[:3])}, which is missing"
        if words is None:
            return None
        place = code.place_of(error, self.request["folder"])
        return Refusal(kind, f"{words} ({place})" if place else words)

    # ---- the end
    def done(self, how, exit_code=None):
        """Reported and gone: neither `finally` nor atexit of the program runs, so nothing of it is written."""
        with self.lock:
            if self.finished:
                return
            self.ledger.muted += 1
            steps = self.steps.finished
            why = self._nothing(how, exit_code) if steps == 0 else None
            self.finished = True
            if why is not None:
                self.channel.say("refused", **why.fields())
                _gone(2)
            told = self.ledger.told()
            self.channel.say(
                "result",
                how=how,
                steps=steps,
                versions=self.versions,
                seconds=round(time.monotonic() - self.began, 2),
                gpus=int(os.environ.get("WORLD_SIZE", "1")),
                assumed=[{"what": what, "times": times} for what, times in self.gate.assumed.most_common(40)],
                assumedShapes=self.ledger.assumed_shapes,
                standIns=sorted(self.notes.all),
                refused=[{"what": what, "times": times} for what, times in self.refused.most_common(20)],
                redirected=self.overlay.written,
                sandbox="kernel" if self.sandboxed else "Python",
                files=code.files_of(self.request["folder"], self.overlay),
                **told,
            )
        _gone(0)

    def _nothing(self, how, exit_code):
        """Why there is no answer, by name."""
        if how == "out of time":
            return Refusal("time", f"no optimizer stepped within {self.request['seconds']:.0f} s")
        if how == "out of memory":
            return Refusal("memory", "it takes more of this machine's memory than a dry run may have")
        ended = f"it ended with exit code {exit_code}" if exit_code not in (None, 0) and not isinstance(exit_code, str) else "it ended"
        if isinstance(exit_code, str):
            return Refusal("ended", f"it ended: {exit_code[:160]}")
        for name, words in (("jax", "JAX"), ("tensorflow", "TensorFlow")):
            if name in sys.modules and self.ledger.operations == 0:
                return Refusal("framework", f"it trains with {words}, and a dry run follows torch only")
        if self.steps.backwards == 0:
            return Refusal("ended", f"{ended} without a training step")
        return Refusal("ended", f"{ended} before an optimizer step")


class Notes:
    """What stood in for something, once each."""

    def __init__(self):
        self.all = set()

    def add(self, what):
        self.all.add(what)


def _refusal_in(error):
    """A refusal, also one that the program wrapped in an exception of its own; a missing package."""
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, Refusal):
            return error
        if isinstance(error, ModuleNotFoundError):
            named = error.name and packages.lacking(packages.lacked(error.name))
            return named or Refusal("packages", f"a package is missing: {' '.join(str(error).split())[:200]}")
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _gone(exit_code):
    sys.stderr.flush()
    os._exit(exit_code)
