"""A tokenizer whose files are not on this machine: one that cuts at spaces, with the special tokens that programs ask for."""

from .imported import when_imported
from .vocabularies import SIZE, SPECIAL, words

CHAT = "{% for m in messages %}{{ m['role'] }} : {{ m['content'] }} </s> {% endfor %}"
# As long as anything that a model takes.
LONGEST = 1_000_000


def install(notes, catalog):
    when_imported("transformers.tokenization_utils_base", lambda module: _base(module, notes, catalog))
    when_imported("transformers.models.auto.tokenization_auto", lambda module: _auto(module, notes, catalog))
    when_imported("tiktoken", lambda module: _tiktoken(module, notes))
    when_imported("nltk", lambda module: setattr(module, "download", lambda *args, **kwargs: True))
    when_imported("nltk.tokenize", lambda module: _nltk(module, notes))
    when_imported("nltk.corpus.util", lambda module: _corpora(module, notes))


def _auto(module, notes, catalog):
    module.AutoTokenizer.from_pretrained = _or_stand_in(module.AutoTokenizer, notes, catalog)


def _or_stand_in(Tokenizer, notes, catalog):
    really = Tokenizer.from_pretrained.__func__

    def from_pretrained(cls, name, *args, **kwargs):
        try:
            made = really(cls, name, *args, **kwargs)
        except Exception:
            made = None
        return stand_in(name, notes, catalog, kwargs) if made is None or _is_empty(made) else made

    return classmethod(from_pretrained)


def _is_empty(tokenizer):
    """Since Transformers 5 many classes make a tokenizer without its files: it has special tokens alone, and every text is short."""
    try:
        special = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
        return sum(word not in special for word in tokenizer.get_vocab()) < 2
    except NotImplementedError:  # the program's own class
        return False


def _base(module, notes, catalog):
    Base = module.PreTrainedTokenizerBase
    Base.from_pretrained = _or_stand_in(Base, notes, catalog)
    Base.save_pretrained = lambda self, *args, **kwargs: ()  # written by Rust, past the folder of a dry run


def config_for(name, notes, catalog):
    from .models import config_of

    try:
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(name)
    except Exception:
        config = config_of(name, notes, catalog, {})
    return config


# Sizes of OpenAI's vocabularies (tiktoken_ext/openai_public.py), by their names.
TIKTOKEN = {"gpt2": 50_257, "r50k_base": 50_257, "p50k_base": 50_281, "p50k_edit": 50_284, "cl100k_base": 100_277, "o200k_base": 200_019}


def _tiktoken(module, notes):
    if not hasattr(module, "Encoding"):
        return
    really, of_model = module.get_encoding, module.encoding_for_model

    def get_encoding(name):
        try:
            return really(name)
        except Exception:
            if name not in TIKTOKEN:
                raise
            notes.add(f"letters as tokens for {name}, whose vocabulary is missing")
            letters = {bytes([i]): i for i in range(256)}
            special = {"<|endoftext|>": 50_256 if TIKTOKEN[name] < 60_000 else 100_257, "<|endofprompt|>": TIKTOKEN[name] - 1}
            return module.Encoding(name, pat_str=r"[\s\S]", mergeable_ranks=letters, special_tokens=special)

    def encoding_for_model(name):
        try:
            return of_model(name)
        except Exception:
            return get_encoding(module.model.encoding_name_for_model(name))

    module.get_encoding, module.encoding_for_model = get_encoding, encoding_for_model


def _nltk(module, notes):
    """Its tokenizers need files; words and sentences end where they end in plain text."""
    if not hasattr(module, "word_tokenize"):
        return  # a module of the project that is called the same
    for name, cut in (("word_tokenize", str.split), ("sent_tokenize", lambda text: text.split(". "))):
        really = getattr(module, name)

        def tokenize(text, *args, _really=really, _cut=cut, **kwargs):
            try:
                return _really(text, *args, **kwargs)
            except LookupError:
                notes.add("words between spaces for NLTK's tokenizer, whose files are missing")
                return _cut(text)

        setattr(module, name, tokenize)


def _corpora(module, notes):
    """Lists of words that NLTK downloads (stop words) are empty."""
    really = module.LazyCorpusLoader.__getattr__

    def found(self, name):
        try:
            return really(self, name)
        except LookupError:
            notes.add("no words from NLTK's corpora, whose files are missing")
            return lambda *args, **kwargs: []

    module.LazyCorpusLoader.__getattr__ = found


def _inputs(config):
    """What a model's tokenizer returns: kinds of tokens only where the model has several, since `generate` refuses what a model does not take."""
    has_kinds = config is None or getattr(config, "type_vocab_size", 0) > 1
    return ["input_ids", *(["token_type_ids"] if has_kinds else []), "attention_mask"]


def stand_in(name, notes, catalog, given):
    """As many tokens as its model has rows, so that embeddings keep their size."""
    from transformers import PreTrainedTokenizerFast

    from .models import name_of

    name = name_of(name)
    config = config_for(name, notes, catalog)
    config = getattr(config, "text_config", None) or config  # of a model of pictures and texts
    size = getattr(config, "vocab_size", None)
    if not size:
        notes.add(f"{SIZE:,} tokens for {name}, whose vocabulary is unknown")
    tokenizer = words(size or SIZE)
    pad, bos, eos, unk, mask, cls, sep = SPECIAL
    most = given.get("model_max_length") or min(512, getattr(config, "max_position_embeddings", None) or 512)
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=bos, eos_token=eos, unk_token=unk, pad_token=pad, mask_token=mask, cls_token=cls, sep_token=sep,
        model_max_length=most, model_input_names=_inputs(config), padding_side=given.get("padding_side", "right"), truncation_side=given.get("truncation_side", "right"),
    )  # fmt: skip
    made.chat_template, made.name_or_path = CHAT, str(name)
    notes.add(f"words as tokens for {name}, whose tokenizer is missing")
    return made
