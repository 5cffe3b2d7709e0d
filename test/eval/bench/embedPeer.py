"""The peer of `bench embed-python`: sentence-transformers over the same texts with the same model, 32 a batch, one thread.

    python embedPeer.py MODEL TEXTS

Prints the seconds of the texts alone.
"""

import json
import os
import resource
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from sentence_transformers import SentenceTransformer

model = SentenceTransformer(sys.argv[1], device="cpu", model_kwargs={"use_safetensors": True})
torch.set_num_threads(1)
with open(sys.argv[2], encoding="utf-8") as file:
    texts = [json.loads(line)["text"] for line in file]
model.encode(["warm up"])
begin, cpu = time.perf_counter(), time.process_time()
model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"cpuS": cpu, "wallS": wall, "peakMB": peak}))
