"""Data sets of the Hugging Face hub that are not on this machine: rows in which every column is there, long enough to be cut."""

import importlib
import re
import sys

from . import hub
from .amounts_made_up import OBJECT, PICTURE
from .packages import is_library

ROWS = 256
# Of a stream: more than any two steps take.
STREAM = 1 << 20
# Longer than what is cut to a context; without a cut this is the length of a batch, which is said.
WORDS = 600
TEXT = " ".join(f"w{i}" for i in range(WORDS))
# What comes before an answer in a row is shorter, so that a row that is cut still has something of its answer.
BEFORE, ASKS = " ".join(f"w{i}" for i in range(WORDS // 6)), ("system", "system_prompt", "instruction", "question", "query")
# What is said in ten seconds: LibriSpeech's 9.4 million words in 961 hours are 2.7 a second.
SPOKEN = " ".join(f"w{i}" for i in range(27))
NUMBERS = ("label", "labels", "target", "targets", "score", "idx", "id", "index", "class", "coarse_label", "fine_label", "stars", "rating", "year", "answer_idx")
TOKENS = ("input_ids", "attention_mask", "labels")  # what a tokenized data set has
LISTS = ("ner_tags", "pos_tags", "chunk_tags", "tags")

FILE = re.compile(r"(^|_)(file_?name|path|file)$|^(image|img|mask|audio|wav)_(file|path|name)", re.IGNORECASE)
SOUND = re.compile(r"audio|wav|sound|speech", re.IGNORECASE)


def of_file(column):
    """The name of a missing file under a column that names files; None: it has something else."""
    return None if FILE.search(str(column)) is None else "00000.wav" if SOUND.search(str(column)) else "00000.jpg"


def text_beside(columns):
    """A text in a row with these columns: what is said in a sound, or as long as texts get."""
    return SPOKEN if any(SOUND.search(str(one)) or "duration" in str(one).lower() for one in columns) else TEXT


def install(module, notes):
    if not hasattr(module, "load_dataset") or not hasattr(module, "DatasetDict"):
        return  # a module of the project that is called the same
    really, Data = module.load_dataset, module.Dataset

    def load_dataset(path, name=None, *args, split=None, streaming=False, **kwargs):
        try:
            return really(path, name, *args, split=split, streaming=streaming, **kwargs)
        except Exception as error:
            files = kwargs.get("data_files")
            if files is not None and not _is_missing(error):
                raise
            notes.add(f"{ROWS} rows of {WORDS} words for {path}, which is missing")
            _forgiving(Data)
            columns = hub.columns_of(path, name)

            def make():
                kind = Streamed if streaming else Rows
                return kind(Data) if columns is None else hub.rows_of(module, columns, ROWS, TEXT)

            if isinstance(split, (list, tuple)):
                return [make() for _ in split]
            if split is not None:
                return make()
            return Parts(Data, Streamed if streaming else None) if columns is None else module.DatasetDict({part: make() for part in PARTS})

    module.load_dataset = load_dataset
    _from_disk(module, notes)
    _from_records(Data)
    _together(module)


def _together(module):
    """Made-up parts in a dictionary of real ones, and several data sets as one."""
    check = module.DatasetDict._check_values_type
    module.DatasetDict._check_values_type = lambda self: None if any(map(_is_made, self.values())) else check(self)
    for name in ("concatenate_datasets", "interleave_datasets"):
        really = getattr(module, name)

        def joined(sets, *args, _really=really, **kwargs):
            sets = list(sets)
            return next(filter(_is_made, sets), None) or _really(sets, *args, **kwargs)

        setattr(module, name, joined)


def _from_records(Data):
    """Made-up records as a data set: as long as nobody asked, no column is known."""
    really = getattr(Data, "from_list", None)
    if really is None:  # before 2.5
        return

    def made(mapping, *args, **kwargs):
        if mapping and isinstance(mapping[0], Row):
            _forgiving(Data)
            return Rows(Data, len(mapping))
        return really(mapping, *args, **kwargs)

    Data.from_list = staticmethod(made)


def _is_made(one):
    return isinstance(one, (Rows, Parts))


def _from_disk(module, notes):
    """A folder that `save_to_disk` wrote and this machine lacks: with parts, if its rows are asked for by a part's name."""
    Data = module.Dataset

    def missing(really):
        def load_from_disk(path, *args, **kwargs):
            try:
                return really(path, *args, **kwargs)
            except Exception as error:
                if not _is_missing(error):
                    raise
                notes.add(f"{ROWS} rows of {WORDS} words or tokens for {path}, which is missing")
                _forgiving(Data)
                return Parts(Data, Tokenized)

        return load_from_disk

    module.load_from_disk = missing(module.load_from_disk)
    Data.load_from_disk = staticmethod(missing(Data.load_from_disk))
    module.DatasetDict.load_from_disk = staticmethod(missing(module.DatasetDict.load_from_disk))


PARTS = ("train", "validation", "test", "unsupervised", "validation_matched", "validation_mismatched")
# Names of parts that only some data sets have.
OTHER_PARTS = ("valid", "val", "dev", "eval", "train_sft", "test_sft", "train_prefs", "test_prefs", "train_gen", "test_gen")


def _forgiving(Data):
    """Columns that a made-up data set has not are not missed, as long as nobody reads them, nor are rows beyond its own."""
    if hasattr(Data, "_headroom_removes"):
        return
    Data._headroom_removes = remove = Data.remove_columns
    select, split = Data.select, Data.train_test_split

    def selected(self, indices, *args, **kwargs):
        indices = list(indices)
        inside = indices if max(indices, default=0) < len(self) else range(min(len(indices), len(self)))
        return select(self, inside, *args, **kwargs)

    Data.select = selected

    def parted(self, test_size=None, train_size=None, *args, **kwargs):
        too_many = any(isinstance(size, int) and size >= len(self) for size in (test_size, train_size))
        return split(self, *((0.2, None) if too_many else (test_size, train_size)), *args, **kwargs)

    Data.train_test_split = parted

    def removed(self, column_names, *args, **kwargs):
        names = [column_names] if isinstance(column_names, str) else list(column_names)
        return remove(self, [name for name in names if name in self.column_names], *args, **kwargs)

    Data.remove_columns = removed
    formatting = importlib.import_module("datasets.formatting.formatting")
    found = formatting.LazyDict.__getitem__

    def asked(self, column):
        try:
            return found(self, column)
        except KeyError:
            count = self.pa_table.num_rows if isinstance(self, formatting.LazyBatch) else None
            return value_of(column) if count is None else [value_of(column)] * count

    formatting.LazyDict.__getitem__ = asked
    formatting.LazyDict.get = lambda self, column, default=None: self[column] if column in self.data else default


def _is_missing(error):
    return isinstance(error, FileNotFoundError) or "find" in str(error)


def value_of(column):
    """What a column of this name most likely holds."""
    name = str(column).lower()
    if name in NUMBERS or name.endswith(("_id", "_label", "_idx")):
        return 0
    if name in LISTS or name in TOKENS[:2]:
        return [0 if name in LISTS else 1] * WORDS
    if name in ("tokens", "words"):
        return TEXT.split(" ")
    if name in ("messages", "conversation", "conversations", "prompt_messages"):
        return [{"role": who, "content": TEXT, "from": who, "value": TEXT} for who in ("user", "assistant")]
    if name in ("image", "img", "picture", "pixel_values"):
        return _picture()
    if name == "audio":
        import numpy

        return {"array": numpy.zeros(160_000, dtype=numpy.float32), "sampling_rate": 16_000, "path": None}
    if name == "translation":
        return Row()
    if name in OBJECT:
        return OBJECT[name]
    if name in ("answers",):
        return {"text": ["w0"], "answer_start": [0]}
    return Text(BEFORE if name in ASKS else TEXT)


class Text(str):
    """A value of which nothing is known: it may be asked for a part of it, as messages are."""

    def __getitem__(self, key):
        if isinstance(key, str):
            return value_of(key)
        part = super().__getitem__(key)
        return Text(part) if isinstance(key, int) else part


def _picture():
    from PIL import Image

    return Image.new("RGB", PICTURE)


class Row(dict):
    """A row that has whatever is asked of it; what was asked is kept as its columns."""

    def __init__(self, *args, count=None):
        super().__init__(*args)
        self.count = count

    def __missing__(self, column):
        value = value_of(column)
        if value == TEXT:
            value = Text(text_beside(dict.keys(self)))
        self[column] = value if self.count is None else [value] * self.count
        return self[column]

    def get(self, column, default=None):
        return self[column]

    def __contains__(self, column):
        return True


class Feature:
    """A column of two classes, or a list of them."""

    names, num_classes = ["0", "1"], 2

    @property
    def feature(self):
        return self

    def int2str(self, number):
        return [str(one) for one in number] if isinstance(number, (list, tuple)) else str(number)

    def str2int(self, name):
        return [0 for _ in name] if isinstance(name, (list, tuple)) else 0


class Features(dict):
    def __missing__(self, column):
        return Feature()


class Names(list):
    """Columns of which none is known: it has the ones that the program asks for, but not what only a tokenizer makes."""

    def __contains__(self, name):
        return super().__contains__(name) or (name not in TOKENS and not is_library(sys._getframe(1).f_code.co_filename))


class Rows:
    """A data set of which nothing is known. Its first `map` makes a real one, with the columns that were asked for."""

    def __init__(self, Data, count=ROWS):
        self.Data, self.count = Data, count
        self.column_names, self.features, self.num_rows, self.transform = Names(), Features(), count, None

    def __len__(self):
        return self.count

    def __getitem__(self, key):
        if isinstance(key, str):
            return [value_of(key)] * self.count
        if self.transform is not None:
            count = len(range(*key.indices(self.count))) if isinstance(key, slice) else 1
            out = self.transform(Row(count=count))
            return out if isinstance(key, slice) else {name: values[0] for name, values in out.items()}
        return Row(count=len(range(*key.indices(self.count)))) if isinstance(key, slice) else Row()

    def __iter__(self):
        return (self[i] for i in range(self.count))

    def map(self, function, batched=False, with_indices=False, remove_columns=None, fn_kwargs=None, **_):
        row, more = Row(count=self.count if batched else None), fn_kwargs or {}
        position = ([*range(self.count)] if batched else 0,) if with_indices else ()
        out = function(row, *position, **more)
        out = row if out is None else {**({} if remove_columns is not None else row), **out}
        if batched:
            return self.Data.from_dict(dict(out))
        return self.Data.from_list([dict(out)] * self.count)

    def _self(self, *args, **kwargs):
        return self

    filter = shuffle = sort = with_format = set_format = cast_column = flatten_indices = remove_columns = rename_column = rename_columns = _self
    select_columns = cast = class_encode_column = repeat = _self

    def with_transform(self, transform, *args, **kwargs):
        out = Rows(self.Data, self.count)
        out.transform = transform
        return out

    def set_transform(self, transform, *args, **kwargs):
        self.transform = transform

    @property
    def format(self):
        return {"type": None, "columns": self.column_names, "format_kwargs": {}, "output_all_columns": False}

    def select(self, indices, **_):
        return type(self)(self.Data, min(self.count, len(list(indices))))

    def take(self, count):
        return type(self)(self.Data, min(self.count, count))

    skip = shard = _self

    def train_test_split(self, *args, **kwargs):
        return Parts(self.Data)

    def unique(self, column):
        return [0, 1]


class Streamed(Rows):
    """Rows that come as long as a program takes them: it accumulates or packs as many as it likes."""

    def __iter__(self):
        return (self[0] for _ in range(self.count if self.count < ROWS else STREAM))


class Parts:
    """Rows, or parts of them: what is done to all is done to the part that is asked for. `made`: what rows are that nobody maps."""

    def __init__(self, Data, made=None, done=()):
        self.Data, self.made, self.done = Data, made or Rows, list(done)

    def plain(self):
        rows = (Rows if self.done else self.made)(self.Data)
        for name, args, kwargs in self.done:
            out = getattr(rows, name)(*args, **kwargs)
            rows = rows if out is None else out
        return rows

    def __getitem__(self, key):
        return self.plain() if key in (*PARTS, *OTHER_PARTS) else self.plain()[key]

    def __contains__(self, key):
        return key in PARTS

    def __len__(self):
        return ROWS

    def __iter__(self):
        return iter(self.plain())

    def keys(self):
        return PARTS[:3]

    def items(self):
        return [(part, self.plain()) for part in PARTS[:3]]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.plain(), name)


def _done(name):
    def later(self, *args, **kwargs):
        return Parts(self.Data, self.made, [*self.done, (name, args, kwargs)])

    return later


for _name in ("map", "filter", "shuffle", "sort", "remove_columns", "rename_column", "rename_columns", "select_columns", "cast_column", "with_format"):
    setattr(Parts, _name, _done(_name))
for _name in ("set_format", "set_transform"):
    setattr(Parts, _name, lambda self, *args, _name=_name, **kwargs: self.done.append((_name, args, kwargs)))


class Tokenized(Rows):
    """Rows that nobody maps have been tokenized before."""

    def __init__(self, Data, count=ROWS):
        super().__init__(Data, count)
        self.column_names, self.features = list(TOKENS), Features({name: Feature() for name in TOKENS})

    def __getitem__(self, key):
        out = super().__getitem__(key)
        if isinstance(out, Row):
            out.update({name: [1] * WORDS for name in TOKENS})
        return out
