"""SpeechBrain's pretrained parts, which it collects from a hub: weights by their shapes, and tokenizers as of missing vocabularies."""

import functools

from .imported import when_imported
from .loading import WEIGHTS


def install(notes):
    when_imported("speechbrain.utils.parameter_transfer", lambda module: _parts(module.Pretrainer, notes))


def _parts(Pretrainer, notes):
    collect, load = Pretrainer.collect_files, Pretrainer.load_collected

    @functools.wraps(collect)
    def collect_files(self, *args, **kwargs):
        try:
            return collect(self, *args, **kwargs)
        except (OSError, ValueError):  # ValueError: of a hub that does not answer
            self._headroom_missing = True
            return {}

    @functools.wraps(load)
    def load_collected(self, *args, **kwargs):
        if not getattr(self, "_headroom_missing", False):
            return load(self, *args, **kwargs)
        notes.add(WEIGHTS)
        for name, part in self.loadables.items():
            if type(part).__name__ == "SentencePieceProcessor":
                part.load(f"{name}.model")
        return None

    Pretrainer.collect_files, Pretrainer.load_collected = collect_files, load_collected
