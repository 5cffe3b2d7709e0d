"""How long rows are. The program's own come in order of length, since the longest need most; made-up ones are as long as the
program's limit, and where nothing limits them, the answer is less certain."""

import functools

from .imported import when_imported
from .rows import BEFORE, TEXT, WORDS

# Tokenizers without a limit state one that no row has.
UNLIMITED = 200_000


class Lengths:
    def __init__(self, notes):
        self.notes = notes
        # A limit that a trainer applies after it has cut texts into tokens.
        self.later = None
        # Whether that trainer reads prompts and answers apart, of which a row has both.
        self.apart = False
        # Tokens of made-up rows that nothing has limited so far.
        self.free = set()

    def limit(self, given, own):
        """The tokens at which a call of a tokenizer cuts its texts; None: it does not."""
        if given.get("truncation") in (None, False, "do_not_truncate"):
            return self.later
        most = given.get("max_length") or own
        return most if isinstance(most, int) and 0 < most < UNLIMITED else self.later

    def met(self, tensor):
        """A batch of tokens on its way into a model."""
        if tensor.dim() > 1 and any(length <= tensor.shape[-1] <= length + 8 for length in self.free):
            self.notes.add(f"rows of {tensor.shape[-1]:,} tokens, which nothing in the program limits")


def install(notes):
    lengths = Lengths(notes)
    when_imported("transformers.tokenization_utils_base", lambda module: _tokenizers(module.PreTrainedTokenizerBase, lengths))
    _batches(lengths)
    _orders(notes)
    return lengths


def _tokenizers(Base, lengths):
    really = Base.__call__

    @functools.wraps(really)
    def call(self, text=None, *args, **kwargs):
        if not _is_made_up(text):
            return really(self, text, *args, **kwargs)
        limit = lengths.limit(kwargs, self.model_max_length)
        if limit is None:
            made = really(self, text, *args, **kwargs)
            lengths.free.update(_lengths_of(made["input_ids"]))
            return made
        lengths.notes.add(f"rows of {limit:,} tokens, the program's own limit")
        return really(self, _longer(text, limit, lengths.apart), *args, **kwargs)

    Base.__call__ = call


def _is_made_up(text):
    if isinstance(text, (list, tuple)):
        return len(text) > 0 and _is_made_up(text[0])
    return isinstance(text, str) and BEFORE in text


def _longer(text, limit, apart):
    if isinstance(text, (list, tuple)):
        return [_longer(one, limit, apart) for one in text]
    if not isinstance(text, str):
        return text
    if apart:  # a prompt that fills the limit would leave no room for its answer, and trainers leave such rows out
        *before, last = text.split(TEXT)
        half = " ".join(f"w{i % WORDS}" for i in range(limit // 2))
        return "".join(one + half for one in before) + last
    times = -(-limit // WORDS)
    return text.replace(TEXT if TEXT in text else BEFORE, " ".join([TEXT] * times), 1)


def _lengths_of(tokens):
    shape = getattr(tokens, "shape", None)
    if shape is not None:
        return {int(shape[-1])}
    rows = tokens if tokens and isinstance(tokens[0], (list, tuple)) else [tokens]
    return {len(row) for row in rows}


def _batches(lengths):
    import torch

    really = torch.nn.Embedding.forward

    @functools.wraps(really)
    def forward(self, input):
        if lengths.free:
            lengths.met(input)
        return really(self, input)

    torch.nn.Embedding.forward = forward


def _orders(notes):
    """Samplers of data sets that are already tokens: a batch of their longest rows is one of the run's, and needs most."""
    from torch.utils.data import DistributedSampler, RandomSampler, SequentialSampler

    for Sampler in (RandomSampler, SequentialSampler, DistributedSampler):
        Sampler.__iter__ = _longest_first(Sampler.__iter__, notes)


def _longest_first(really, notes):
    @functools.wraps(really)
    def indices(self):
        tokens = _tokens_of(getattr(self, "data_source", None) or getattr(self, "dataset", None))
        if not tokens or min(tokens) == max(tokens):
            return really(self)
        notes.add(f"the longest rows first, from {max(tokens):,} tokens on")
        return iter(sorted(range(len(tokens)), key=lambda row: -tokens[row])[: len(self)])

    return indices


def _tokens_of(data):
    """The tokens of each row of a data set of Hugging Face's; None: its rows are something else."""
    if "input_ids" not in (getattr(data, "column_names", None) or ()) or not hasattr(data, "data"):
        return None
    import pyarrow.compute

    tokens = pyarrow.compute.list_value_length(data.data.column("input_ids"))
    rows = data._indices
    return (tokens if rows is None else tokens.take(rows.column(0))).to_pylist()
