"""Data sets that ms-swift loads from a hub: conversations, as its own preprocessors leave them."""

import functools
import os

from .imported import when_imported
from .rows import ROWS, WORDS, value_of


def install(notes, lengths):
    """`lengths`: of made-up rows, which the templates limit."""
    for place in ("swift.llm", "swift"):  # until 3, and since
        when_imported(f"{place}.dataset.loader", lambda module: _loader(module.DatasetLoader, notes))
        when_imported(f"{place}.template.base", lambda module: _templates(module.Template, notes, lengths))


def _templates(Template, notes, lengths):
    """Rows that are made up are as long as the program's limit, and cut there instead of left out."""
    really = Template.encode

    @functools.wraps(really)
    def encode(self, *args, **kwargs):
        most = getattr(getattr(self, "model_info", None), "max_model_len", None)
        if any(MADE in note for note in notes.all) and self.max_length and self.max_length != most:
            self.truncation_strategy, lengths.later = "left", self.max_length  # answers are what is trained on
        return really(self, *args, **kwargs)

    Template.encode = encode


MADE = " words for "


def _loader(Loader, notes):
    really = Loader._load_repo_dataset

    @functools.wraps(really)
    def load(dataset_id, *args, **kwargs):
        if os.path.isdir(dataset_id):
            return really(dataset_id, *args, **kwargs)
        if kwargs.get("use_hf"):  # ModelScope asks its server until a time has passed, also for what is here
            try:
                return really(dataset_id, *args, **kwargs)
            except Exception:
                pass
        from datasets import Dataset

        notes.add(f"{ROWS} rows of {WORDS}{MADE}{dataset_id}, which is missing")
        turns = [{"role": one["role"], "content": one["content"]} for one in value_of("messages")]
        return Dataset.from_list([{"messages": turns}] * ROWS)

    Loader._load_repo_dataset = staticmethod(load)
