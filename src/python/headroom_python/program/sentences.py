"""Trainers of sentence-transformers, handed a data set of which nothing is known: it has what the loss reads, as its class documents it."""

import functools
import re

from .imported import when_imported
from .rows import ROWS, TEXT, Parts, Rows

# Of several documents: as many as a list has in the library's own examples.
DOCUMENTS = 8
# What documented names of inputs have around them.
AROUND = " .`\\"
TRAINERS = ("sentence_transformers.base.trainer", "sentence_transformers.trainer", "sentence_transformers.cross_encoder.trainer")


def install(notes):
    for place in TRAINERS:  # from 6.0 on the first, and before
        when_imported(place, lambda module: [_trainer(found, notes) for found in _own(module)])


def _own(module):
    return [one for name, one in vars(module).items() if name.endswith("Trainer") and getattr(one, "__module__", None) == module.__name__]


def _trainer(Trainer, notes):
    really = Trainer.__init__

    @functools.wraps(really)
    def init(self, model=None, args=None, train_dataset=None, eval_dataset=None, loss=None, **kwargs):
        sets = {"train_dataset": train_dataset, "eval_dataset": eval_dataset}
        made = [which for which, one in sets.items() if isinstance(one, (Rows, Parts))]
        if made:
            row = row_of(self.get_default_loss(model) if loss is None and hasattr(self, "get_default_loss") else loss, model)
            sets.update({which: sets[which].Data.from_list([row] * ROWS) for which in made})
            notes.add("the columns that the loss reads for a data set that is missing")
        really(self, model=model, args=args, loss=loss, **sets, **kwargs)

    Trainer.__init__ = init


def row_of(loss, model):
    """A row for a loss: that of the first line in the table of its documentation's inputs; of a loss around another one, the other's."""
    while loss is not None:
        inputs, labels = first_inputs(type(loss).__doc__)
        if inputs not in (None, "any"):
            return {**_inputs(inputs), **_labels(labels, model)}
        loss = getattr(loss, "loss", None)
    return {"anchor": TEXT, "positive": TEXT}


def first_inputs(documentation):
    """The cells of the first row below `Inputs:`; None: there is no such table."""
    table = (documentation or "").partition("Inputs:")[2]
    rows = [line.strip().strip("|").split("|") for line in table.splitlines() if line.strip().startswith("|")]
    return tuple(cell.strip() for cell in rows[1][:2]) if len(rows) > 1 and len(rows[1]) > 1 else (None, None)


def _inputs(cell):
    """`(anchor, positive) pairs`, `(query, [doc1, …]) `, `single inputs`."""
    inside = re.match(r"\((.*)\)", cell)
    names = re.sub(r"\[.*?\]", "documents", inside[1]).split(",") if inside else [cell]
    names = [re.sub(r"\W+", "_", name.strip(AROUND)) for name in names]
    return {name: [TEXT] * DOCUMENTS if name == "documents" else TEXT for name in names}


def _labels(cell, model):
    words = cell.lower()
    if words == "none":
        return {}
    if "embeddings" in words:
        return {"label": [0.0] * model.get_sentence_embedding_dimension()}
    if cell.startswith("["):
        return {"label": [1.0] * (DOCUMENTS if "score" in words else 2)}
    is_whole = words.startswith(("class", "1 if"))
    return {"label": 1 if is_whole else 1.0}
