"""Embeds texts with sentence-transformers: after the request, each line of stdin is answered with a line, until stdin ends.

    {"ask": "sizes", "id": 1, "texts": [...]}    -> {"kind": "sizes", "id": 1, "tokens": [...], "cut": [...], "bare": 2}
    {"ask": "vectors", "id": 2, "texts": [...]}  -> {"kind": "vectors", "id": 2, "size": 384, "data": "<float32, little-endian, base64>"}
"""

import base64
import copy
import json
import os
import queue
import sys
import threading

from .environment import need
from .protocol import Refusal

# Nothing is downloaded, and neither remote code nor pickled weights of a model are loaded.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "DefaultCPUAllocator", "failed to allocate")


def embed(request, channel):
    found = need(["sentence-transformers"])
    channel.progress("Loading the model with sentence-transformers")
    import torch

    device, why = device_of(request["device"], torch)
    model = loaded(request, device)
    channel.say(
        "ready",
        dimensions=dimensions_of(model, request),
        device=device,
        why=f"{why} (sentence-transformers {found['sentence-transformers']}, torch {torch.__version__})",
        versions=found,
        freeBytes=torch.cuda.mem_get_info()[0] if device == "cuda" else None,
    )
    _serve(model, request, channel, torch)


def device_of(wished, torch):
    if wished == "cpu":
        return "cpu", "the CPU, as asked for"
    if torch.cuda.is_available():
        return "cuda", f"{torch.cuda.get_device_name(0)}, the first GPU that torch sees"
    if wished == "cuda":
        raise Refusal("device", f"torch {torch.__version__} of {sys.executable} finds no GPU; install its CUDA build, or take --device cpu")
    if torch.backends.mps.is_available():
        return "mps", "Apple's GPU"
    return "cpu", "the CPU: torch finds no GPU"


def loaded(request, device):
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(request["model"], device=device, local_files_only=True, model_kwargs={"use_safetensors": True})
    except (OSError, ValueError, KeyError, ImportError) as error:
        why = " ".join(str(error).split())[:300]
        raise Refusal("model", f"{request['model']}: sentence-transformers cannot load it ({why})") from error
    if not request["normalize"]:
        for at in reversed([at for at, module in enumerate(model) if type(module).__name__ == "Normalize"]):
            del model[at]
    model.max_seq_length = request["maxTokens"]
    if not hasattr(model.tokenizer, "encode_plus") and not callable(model.tokenizer):
        raise Refusal("model", f"{request['model']}: its tokenizer is not one of transformers, and its tokens cannot be counted")
    return model.eval()


def dimensions_of(model, request):
    wished = request["dimensions"]
    known = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    whole = known()
    if wished is not None and whole is not None and wished > whole:
        raise Refusal("usage", f"--dimensions {wished}: the model's vectors have {whole} components; take at most that")
    return whole if wished is None else wished


def _serve(model, request, channel, torch):
    """Answers sizes at once; vectors are computed in another thread, one batch after the other."""
    asked = queue.Queue()
    worker = threading.Thread(target=_calculate, args=(model, request, channel, torch, asked), daemon=True)
    worker.start()
    sizes = Sizes(model, request)
    for line in sys.stdin:
        ask = json.loads(line)
        if ask["ask"] == "sizes":
            channel.say("sizes", id=ask["id"], **sizes.of(ask["texts"]))
        else:
            asked.put(ask)
    asked.put(None)
    worker.join()


class Sizes:
    """Counts tokens with its own tokenizer, because the model's is used in another thread."""

    def __init__(self, model, request):
        self._tokenizer = copy.deepcopy(model.tokenizer)
        self._prompt, self._most = request["prompt"], request["maxTokens"]

    def of(self, texts):
        whole = [len(ids) for ids in self._ids([self._prompt + readable(text) for text in texts])]
        bare = len(self._ids([self._prompt])[0])
        return {
            "tokens": [min(count, self._most) for count in whole],
            "cut": [count > self._most for count in whole],
            "bare": bare,
        }

    def _ids(self, texts):
        return self._tokenizer(texts, truncation=False, padding=False, verbose=False)["input_ids"]


def readable(text):
    """Replaces lone surrogates, which JSON allows and tokenizers reject, with U+FFFD."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _calculate(model, request, channel, torch, asked):
    while (ask := asked.get()) is not None:
        try:
            vectors = model.encode(
                [readable(text) for text in ask["texts"]],
                prompt=request["prompt"],
                batch_size=len(ask["texts"]),
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=False,
            )
            kept = finished(vectors, request)
            channel.say("vectors", id=ask["id"], size=kept.shape[1], data=base64.b64encode(kept.tobytes()).decode("ascii"))
        except BrokenPipeError:
            os._exit(1)
        except Exception as error:  # A batch may fail in any way, and a smaller one may succeed.
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            channel.say("unanswered", id=ask["id"], error=" ".join(str(error).split())[:400], outOfMemory=is_memory(error, torch))


def finished(vectors, request):
    """Truncates, then normalizes: in this order, as models for truncation are trained."""
    import numpy

    kept = numpy.asarray(vectors, dtype="<f4")
    if request["dimensions"] is not None:
        kept = kept[:, : request["dimensions"]]
    if request["normalize"]:
        lengths = numpy.linalg.norm(kept, axis=1, keepdims=True)
        kept = kept / numpy.where(lengths > 0, lengths, 1)
    return numpy.ascontiguousarray(kept, dtype="<f4")


def is_memory(error, torch):
    text = str(error)
    return isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError)) or any(sign in text for sign in OUT_OF_MEMORY)
