"""Vocabularies that libraries read past Python: they come from the overlay, and missing ones have letters or words as tokens.

tokenizers' class is Rust and takes no changes, so programs get one of Python that passes everything on."""

import copyreg
import io
import os

from .imported import when_imported

SIZE = 32_000
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>", "<mask>", "<cls>", "<sep>")
# Special tokens of chat templates (Qwen, Llama 3, Gemma, Phi, Mistral) and of BERT: programs choose one as the end or the padding.
OF_CHATS = (
    *("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|user|>"),
    *("<|start_header_id|>", "<|end_header_id|>", "<|finetune_right_pad_id|>", "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<|assistant|>"),
    *("<|system|>", "<|pad|>", "[INST]", "[/INST]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<think>", "</think>", "<tool_call>", "</tool_call>"),
)
# What a made-up SentencePiece model is trained on.
LETTERS = "".join(map(chr, range(33, 127)))


def install(overlay, notes):
    when_imported("sentencepiece", lambda module: _pieces(module, overlay, notes))
    when_imported("tiktoken.load", lambda module: _ranks(module, notes))
    when_imported("tokenizers", lambda module: _tokenizers(module, overlay, notes))


def words(size):
    """A tokenizer that cuts at spaces and has `size` tokens, the special ones first."""
    import tokenizers

    chats = OF_CHATS[: max(size // 2, 0)]
    known = {word: i for i, word in enumerate((*SPECIAL, *(f"w{i}" for i in range(size - len(SPECIAL) - len(chats))), *chats))}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


def _note(notes, path, size):
    notes.add(f"{size:,} tokens of a made-up vocabulary for {os.path.basename(os.fsdecode(path))}, which is missing")


# ---- SentencePiece
def _pieces(module, overlay, notes):
    Processor = module.SentencePieceProcessor
    made = []

    def load(self, model_file=None, model_proto=None):
        if not model_file:
            return self.LoadFromSerializedProto(model_proto)
        if os.path.exists(model_file):
            return from_file(self, os.fspath(overlay.read(model_file)))
        if not made:
            made.append(_trained(module))
        _note(notes, model_file, SIZE)
        self._headroom_size = SIZE
        return self.LoadFromSerializedProto(made[0])

    from_file = Processor.LoadFromFile
    Processor.Load = Processor.load = Processor.LoadFromFile = Processor.load_from_file = load
    for name in ("GetPieceSize", "get_piece_size", "piece_size", "vocab_size"):
        really = getattr(Processor, name, None)
        if really is not None:
            setattr(Processor, name, lambda self, _really=really: getattr(self, "_headroom_size", None) or _really(self))
    Processor.__len__ = lambda self: self.GetPieceSize()


def _trained(module):
    out = io.BytesIO()
    module.SentencePieceTrainer.train(
        sentence_iterator=iter([LETTERS, " ".join(LETTERS)]), model_writer=out, model_type="char", vocab_size=len(LETTERS) + 4, hard_vocab_limit=False, minloglevel=2
    )
    return out.getvalue()


# ---- tiktoken
def _ranks(module, notes):
    """A file of ranks: single bytes have one each."""
    really = module.load_tiktoken_bpe

    def load(tiktoken_bpe_file, *args, **kwargs):
        if "://" in str(tiktoken_bpe_file) or os.path.exists(tiktoken_bpe_file):
            return really(tiktoken_bpe_file, *args, **kwargs)
        notes.add(f"letters as tokens for {os.path.basename(tiktoken_bpe_file)}, which is missing")
        return {bytes([i]): i for i in range(256)}

    module.load_tiktoken_bpe = load


# ---- tokenizers
def _tokenizers(module, overlay, notes):
    Real = module.Tokenizer

    class Kind(type):
        def __instancecheck__(cls, one):
            return isinstance(one, (Real, Passed))

        def __getattr__(cls, name):
            return getattr(Real, name)

    class Tokenizer(metaclass=Kind):
        def __new__(cls, *args, **kwargs):
            return Passed(Real(*args, **kwargs), overlay)

        @staticmethod
        def from_file(path):
            if os.path.exists(path):
                return Passed(Real.from_file(os.fspath(overlay.read(path))), overlay)
            _note(notes, path, SIZE)
            return words(SIZE)

        @staticmethod
        def from_pretrained(name, *args, **kwargs):
            try:
                return Real.from_pretrained(name, *args, **kwargs)
            except Exception:
                _note(notes, name, SIZE)
                return words(SIZE)

    # Data sets are named after what makes them, pickled; pickle finds the class of Python under the name of Rust's.
    copyreg.pickle(Real, lambda one: (_from_text, (one.to_str(),)))
    module.Tokenizer = Tokenizer


def _from_text(text):
    import tokenizers

    return tokenizers.Tokenizer.from_str(text)


class Passed:
    """A tokenizer whose files are those that the program sees."""

    def __init__(self, real, overlay):
        object.__setattr__(self, "_real", real)
        object.__setattr__(self, "_overlay", overlay)

    def __getattr__(self, name):
        if name in ("_real", "_overlay"):
            raise AttributeError(name)
        return getattr(self._real, name)

    def __setattr__(self, name, value):
        setattr(self._real, name, value)

    def __reduce__(self):
        return self._real.__reduce__()

    def __deepcopy__(self, memo):
        import copy

        return copy.deepcopy(self._real, memo)

    def save(self, path, pretty=True):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._real.to_str(pretty))

    def train(self, files, trainer=None):
        self._real.train([os.fspath(self._overlay.read(path)) for path in ([files] if isinstance(files, str) else files)], trainer)
