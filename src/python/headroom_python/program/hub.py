"""Columns of data sets on the Hugging Face hub that programs download most, as their pages list them. A label's number: its classes, in a list if rows have several; a text's: how it ends."""

TEXTS = {
    **{name: {"text": "", "label": n} for name, n in (("imdb", 2), ("ag_news", 4), ("emotion", 6), ("yelp_polarity", 2), ("yelp_review_full", 5))},
    **{name: {"text": "", "label": n} for name, n in (("rotten_tomatoes", 2), ("tweet_eval", 3), ("trec", 6))},
    "go_emotions": {"text": "", "labels": [28], "id": ""},
    "sms_spam": {"sms": "", "label": 2},
    "sst2": {"idx": 1, "sentence": "", "label": 2},
    "dbpedia_14": {"label": 14, "title": "", "content": ""},
    "amazon_polarity": {"label": 2, "title": "", "content": ""},
    "financial_phrasebank": {"sentence": "", "label": 3},
    **{name: {"text": ""} for name in ("wikitext", "tiny_shakespeare", "openwebtext", "bookcorpus", "ptb_text_only", "tinystories", "english_quotes")},
    **{name: {"text": ""} for name in ("openassistant-guanaco", "guanaco-llama2-1k", "guanaco-llama2", "c4")},
    "alpaca": {"instruction": "", "input": "", "output": "", "text": ""},
    "alpaca-cleaned": {"instruction": "", "input": "", "output": ""},
    "databricks-dolly-15k": {"instruction": "", "context": "", "response": "", "category": ""},
    "gsm8k": {"question": "", "answer": " #### 0"},
    "samsum": {"id": "", "dialogue": "", "summary": ""},
    "xsum": {"document": "", "summary": "", "id": ""},
    "cnn_dailymail": {"article": "", "highlights": "", "id": ""},
    "squad": {"id": "", "title": "", "context": "", "question": "", "answers": {"text": ["w0"], "answer_start": [0]}},
}
PICTURES = {
    "cifar10": {"img": (32, 32), "label": 10},
    "cifar100": {"img": (32, 32), "fine_label": 100, "coarse_label": 20},
    "mnist": {"image": (28, 28), "label": 10},
    "fashion_mnist": {"image": (28, 28), "label": 10},
    "food101": {"image": (512, 384), "label": 101},
    "beans": {"image": (500, 500), "labels": 3},
    "imagenet-1k": {"image": (500, 375), "label": 1000},
}
# The configurations of GLUE, with what they compare.
GLUE = {
    **{"cola": ("sentence",), "sst2": ("sentence",), "mrpc": ("sentence1", "sentence2"), "stsb": ("sentence1", "sentence2")},
    **{"qqp": ("question1", "question2"), "mnli": ("premise", "hypothesis"), "qnli": ("question", "sentence")},
    **{"rte": ("sentence1", "sentence2"), "wnli": ("sentence1", "sentence2")},
}


def columns_of(path, name):
    """Column → how its text ends, a number of classes, a size of pictures, or a value; None: nothing is known."""
    own = str(path).lower().rsplit("/", 1)[-1].replace("ag-news", "ag_news")
    if own == "glue" and name in GLUE:
        return {**{column: "" for column in GLUE[name]}, "label": 3 if name == "mnli" else 2, "idx": 1}
    return TEXTS.get(own) or PICTURES.get(own)


def rows_of(module, columns, count, text):
    """A data set of `count` equal rows with these columns."""
    features, values = {}, {}
    for column, kind in columns.items():
        if isinstance(kind, tuple):
            from PIL import Image

            features[column], values[column] = module.Image(), Image.new("L" if kind == (28, 28) else "RGB", kind)
        elif isinstance(kind, int):
            features[column] = module.Value("int32") if column == "idx" else module.ClassLabel(num_classes=kind)
            values[column] = 0
        elif isinstance(kind, list):
            features[column], values[column] = module.Sequence(module.ClassLabel(num_classes=kind[0])), [0]
        elif isinstance(kind, str):
            features[column], values[column] = module.Value("string"), text + kind
        else:
            features[column], values[column] = None, kind
    known = module.Features(features) if None not in features.values() else None
    return module.Dataset.from_dict({column: [value] * count for column, value in values.items()}, features=known)
