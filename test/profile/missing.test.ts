import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spreadOf } from '../../src/profile/program/amounts';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, interpreter, NEVER, warmPython } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-missing-'));
const LOOP = `
import torch
model = torch.nn.Linear(rows, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    model(torch.zeros(4, rows, device="cuda")).mean().backward()
    optimizer.step()
`;

/** A dry run of a program that trains a layer as wide as its data say: `rows`. */
async function dry(text: string, executable: string | null = null): Promise<ProgramResult> {
  writeFileSync(join(folder, 'train.py'), text + LOOP);
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: 240, models: null };
  const program = { command: ['python', 'train.py'], folder, ...about };
  const python = executable === null ? await warmPython('program') : { ...interpreter(), executable };
  const result = await runProgram(python, program, { cacheFolder, progress: () => undefined }, NEVER);
  assert.equal(result.how, 'finished');
  assert.deepEqual(readdirSync(folder), ['train.py']);
  return result;
}

const stoodIn = (result: ProgramResult, what: RegExp): void =>
  assert.ok(
    result.standIns.some(one => what.test(one)),
    result.standIns.join('; '),
  );

describe('dry runs without their data', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('read records from JSON that is missing, and name a key that only a config has', async () => {
    const result = await dry(`import json, os
data = json.load(open("train.json"))
assert data["annotations"][0]["label"] == 0
lines = [json.loads(line) for line in open("more.jsonl")]
assert len(lines[0]["prompt"]) > 1000
rows = len(data) + len(lines)
assert os.system("mkdir -p out/deep") == 0 and os.path.isdir("out/deep")
os.system("rm -rf /nowhere")
with open("out/deep/log.txt", "w") as file: file.write("kept nowhere")
`);
    stoodIn(result, /^256 made-up records for train\.json/);
    assert.ok(spreadOf(result).above >= 0.5, 'What nobody knows makes the amount less certain.');
    assert.ok(result.refused.some(({ what }) => what === 'start of rm'));
    await assert.rejects(
      dry('import json\nrows = json.load(open("config.json"))["width"]\n'),
      /needs 'width' of a JSON file that is missing/,
    );
  });

  it("read tables with Python's csv, and name the text that nobody can make up", async () => {
    const result = await dry(`import csv
class Captions:
    COLUMNS = ("image_name", "image")
    def rows(self):
        with open("captions.txt") as file:
            names = file.readline().strip().split(",")
            column = next(one for one in self.COLUMNS if one in names)
            return [(row[column], row["comment"]) for row in csv.DictReader(file, fieldnames=names)]
picture, text = Captions().rows()[3]
assert picture == "00003.png" and len(text) > 1000
rows = sum(int(row["label"]) + len(row.get("price", "")) for row in csv.DictReader(open("train.csv")))
`);
    stoodIn(result, /^256 made-up records for captions\.txt/);
    await assert.rejects(
      dry('rows = open(open("pairs.txt").readline().strip() + ".bin", "rb")\n'),
      /needs what is in pairs\.txt, which is missing \(train\.py:1\)/,
    );
    await assert.rejects(dry('rows = open("table.csv").read()\n'), /FileNotFoundError/);
  });

  it('take for there what the program ends without, and nothing else', async () => {
    const result = await dry(`import os, sys
from os.path import exists
from pathlib import Path
if not os.path.exists("corpus"):
    raise Exception("no corpus")
try:
    assert open("words.txt").read()
except OSError as error:
    raise RuntimeError("no words") from error
assert Path("corpus").is_dir() and exists("labels.json"), "no labels"
if os.path.isfile("weights.pt"):
    start = 1
else:
    sys.exit("no weights")
if not os.path.exists("out"):
    os.makedirs("out")
assert not os.path.exists("run.lock") and not exists("last.pt")
def texts(folder):
    assert os.path.isdir(folder)
    return [name for name in os.listdir(folder) if name.endswith(".txt")]
assert os.path.isdir("out") and len(texts("corpus")) == 256
def needs(path):
    if not exists(path):
        raise FileNotFoundError(path)
try:
    needs("")
    sys.exit("an empty path is there")
except FileNotFoundError:
    pass
rows = 64
`);
    stoodIn(result, /^corpus as if it were there, since the program needs it/);
    assert.ok(!result.standIns.some(one => /^(out|run\.lock|last\.pt) /.test(one)));
  });

  it('cut texts for a tokenizer that is missing, also where its class makes an empty one', async () => {
    const result = await dry(`from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
rows = len(tokenizer("w1 w2 w3").input_ids)
assert rows == 3 and len(tokenizer) == 50257, (rows, len(tokenizer))
import copy, pickle
assert len(pickle.loads(pickle.dumps(tokenizer))) == len(copy.deepcopy(tokenizer)) == 50257
tokenizer.eos_token = "<|im_end|>"
assert "<|im_end|>" in tokenizer.get_vocab() and len(tokenizer) == 50257 and tokenizer.eos_token_id != tokenizer.unk_token_id
`);
    stoodIn(result, /^words as tokens for gpt2, whose tokenizer is missing/);
  });

  it('sign in nowhere, and make no repository there', async () => {
    const result = await dry(`from huggingface_hub import HfApi, create_repo, login, whoami
login(token="hf_none")
assert whoami()["name"] == HfApi().whoami()["name"] == "user"
assert create_repo("mine", private=True).repo_id == "user/mine" and HfApi().create_repo(repo_id="you/yours").repo_id == "you/yours"
rows = 64
`);
    stoodIn(result, /^no sign-in to the Hugging Face hub/);
  });

  it('hand a classifier the classes that only its missing data name', async () => {
    const result =
      await dry(`from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
sizes = dict(vocab_size=32, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
model = BertForSequenceClassification(BertConfig(**sizes, num_labels=3))
import json
texts = json.load(open("train.json"))
made = [{"input_ids": [1] * 8} for _ in texts]
Trainer(model, TrainingArguments("out", report_to="none"), train_dataset=made).train()
`);
    stoodIn(result, /^classes of rows that are made up/);
  });

  it('refuse CUDA code that the program compiles', async () => {
    await assert.rejects(
      dry('from torch.utils.cpp_extension import load\nload(name="gather", sources=["gather.cu"])\n'),
      /compiles CUDA code of its own \(gather\)/,
    );
  });

  describe('with the packages that read them', function () {
    const python = process.env['HEADROOM_TEST_DATA_PYTHON'] ?? null;
    before(function () {
      if (python === null) this.skip();
    });

    it('list folders with what the program looks for', async () => {
      const result = await dry(
        `import glob, os
from pathlib import Path
from PIL import Image
names = [name for name in os.listdir("data/images") if name.endswith((".jpg", ".jpeg"))]
picture = Image.open(os.path.join("data/images", names[0]))
mask = Image.open(os.path.join("data/masks", names[0].replace(".jpg", "_mask.gif"))).convert("L")
assert picture.size == mask.size and picture.mode == "RGB" and all(side % 128 == 0 for side in picture.size)
assert len(glob.glob("other/*.png")) == len(list(Path("third").rglob("*.wav"))) == 256
assert len(list(Path("fourth").glob("trainA/*.jpg"))) == len(glob.glob("fifth/train/*_left.png")) == 256
assert len(glob.glob("sixth/*/images/*.png")) == len(list(Path("seventh").glob("*/*.png"))) == 2560
def classes(root):
    return [name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name))]
assert len(classes("sorted")) == 10
assert glob.glob("checkpoints/*.pt") == [] and not os.path.exists("checkpoints")
rows = len(names)
`,
        python,
      );
      stoodIn(result, /^256 made-up files \(\.jpg\) for the folder images/);
      stoodIn(result, /^blanks for files of masks/);
    });

    it('read tables whose columns the program names, and no others', async () => {
      const result = await dry(
        `import pandas as pd
table = pd.read_csv("train.csv")
table = table[table["split"] == "train"].dropna(subset=["caption"])
row = table.iloc[0]
assert row["image_path"].endswith(".png") and row["label"] == 0
assert pd.read_csv("plain.csv").iloc[3, 1] in (0, 1)
pairs = [(one.pos_id, one.answer_text) for one in pd.read_csv("pairs.txt").itertuples(index=False)]
assert pairs[3] == (3, pairs[0][1]) and len(pairs) == 256
rows = len(table.groupby("label")) + len(table)
`,
        python,
      );
      stoodIn(result, /^256 made-up rows for train\.csv/);
      await assert.rejects(
        dry('import pandas as pd\nrows = pd.read_csv("series.csv").shape[1]\n', python),
        /how many columns it has decides the model/,
      );
      await assert.rejects(
        dry(
          `import numpy as np
import pandas as pd
table = pd.read_csv("series.csv", index_col=0)
rows = np.array(table.drop(columns=["target"])).shape[1]
`,
          python,
        ),
        /how many columns it has decides the model/,
      );
    });

    it('load data sets that were saved, and vocabularies', async () => {
      const result = await dry(
        `import tiktoken
from datasets import load_from_disk
saved = load_from_disk("tokenized")
assert len(saved["train"][0]["input_ids"]) == 600 and "validation" in saved
mapped = saved.map(lambda row: {"n": len(row["text"])}, remove_columns=["text"])["train"]
assert mapped.column_names == ["n"]
rows = tiktoken.get_encoding("gpt2").n_vocab
assert rows == 50257 and tiktoken.get_encoding("gpt2").encode("abc") == [97, 98, 99]
`,
        python,
      );
      stoodIn(result, /^256 rows of 600 words or tokens for tokenized/);
    });

    it('hand TRL the columns that its trainers and rewards read', async () => {
      const result = await dry(
        `from datasets import load_dataset
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
def model():
    return LlamaForCausalLM(LlamaConfig(hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, vocab_size=50257))
def reward(completions, solution, **_):
    return [len(one[0]["content"]) for one in completions]
turns = load_dataset("nobody/nothing")["valid"].map(lambda row: {"text": row["turns"][1]["content"]})
assert len(turns[0]["text"].split()) == 600 and turns.column_names == ["turns", "text"]
more = dict(train_dataset=load_dataset("nobody/nothing", split="train"), processing_class=AutoTokenizer.from_pretrained("gpt2"))
assert "solution" in more["train_dataset"].column_names and "input_ids" not in more["train_dataset"].column_names
tuned = SFTTrainer(model=model(), args=SFTConfig("out", report_to="none", max_length=64), **more)
rows = len(tuned.train_dataset[0]["input_ids"])
assert rows == 64, rows
played = GRPOTrainer(model=model(), args=GRPOConfig("out", report_to="none"), reward_funcs=reward, **more)
pairs = DPOTrainer(model=model(), ref_model=model(), args=DPOConfig("out", report_to="none", max_length=64), **more).train_dataset[0]
assert 30 < len(pairs["prompt_ids"]) < 34 and 60 < len(pairs["prompt_ids"] + pairs["chosen_ids"]) <= 66, (len(pairs["prompt_ids"]), len(pairs["chosen_ids"]))
assert played.train_dataset[0]["prompt"][0]["role"] == "user" and "solution" in played.train_dataset.column_names
`,
        python,
      );
      stoodIn(result, /^the columns that SFTTrainer reads for a data set that is missing/);
    });

    it('make missing texts as long as the program allows, and less certain where nothing limits them', async () => {
      const program = (cut: string): string => `from datasets import load_dataset
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from trl import SFTConfig, SFTTrainer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
texts = load_dataset("nobody/nothing", split="train").map(lambda row: tokenizer(row["text"]${cut}))
import torch
batch = torch.tensor([texts[0]["input_ids"]], device="cuda")
torch.nn.Embedding(50257, 8).cuda()(batch)
rows = batch.shape[1]
model = LlamaForCausalLM(LlamaConfig(hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, vocab_size=50257))
later = SFTTrainer(model=model, args=SFTConfig("out", report_to="none", max_length=1500), processing_class=tokenizer, train_dataset=load_dataset("nobody/nothing", split="train"))
assert len(later.train_dataset[0]["input_ids"]) == 1500
assert rows == ${cut === '' ? 600 : 1200}, rows
`;
      const cut = await dry(program(', truncation=True, max_length=1200'), python);
      stoodIn(cut, /^rows of 1,200 tokens, the program's own limit/);
      assert.equal(spreadOf(cut).above, 0.1);
      const free = await dry(program(''), python);
      stoodIn(free, /^rows of 600 tokens, which nothing in the program limits/);
      assert.equal(spreadOf(free).above, 0.5);
    });

    it('leave room for the answer in a row that has a question before it', async () => {
      const result = await dry(
        `import json
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
row = json.loads(next(iter(open("train.jsonl"))))
question = f"{row['system']} {row['question']}"
rows = len(tokenizer(question + " " + row["answer"], truncation=True, max_length=1024)["input_ids"])
assert rows == 1024 and len(tokenizer(question)["input_ids"]) < 512
assert len(tokenizer(row["question"], truncation=True, max_length=512)["input_ids"]) == 512
`,
        python,
      );
      stoodIn(result, /^rows of 1,024 tokens, the program's own limit/);
    });

    it('train on the rows that are there, the longest first, also without a cache of data sets', async () => {
      const data = mkdtempSync(join(tmpdir(), 'headroom-rows-'));
      const lines = Array.from({ length: 40 }, (_, i) => JSON.stringify({ text: 'w '.repeat(i + 1) }));
      writeFileSync(join(data, 'rows.jsonl'), lines.join('\n'));
      const result = await dry(
        `import os
os.environ["HF_HOME"] = ${JSON.stringify(join(data, 'none'))}
from datasets import load_dataset
from torch.utils.data import DataLoader
texts = load_dataset("json", data_files=${JSON.stringify(join(data, 'rows.jsonl'))}, split="train")
assert len(texts) == 40
tokens = texts.select(range(30)).map(lambda row: {"input_ids": [1] * len(row["text"].split())}, remove_columns=["text"])
rows = len(next(iter(DataLoader(tokens, batch_size=1, shuffle=True, collate_fn=lambda rows: rows)))[0]["input_ids"])
assert rows == 30, rows
`,
        python,
      );
      assert.deepEqual(readdirSync(data), ['rows.jsonl']);
      rmSync(data, { recursive: true });
      stoodIn(result, /^the longest rows first, from 30 tokens on/);
      assert.ok(!result.standIns.some(one => one.includes('missing')));
    });

    it('put a pipeline together from its parts', async () => {
      const result = await dry(
        `import torch
from diffusers import DiffusionPipeline, StableDiffusionPipeline
pipe = StableDiffusionPipeline.from_pretrained("runwayml/stable-diffusion-v1-5", torch_dtype=torch.float16).to("cuda")
rows = sum(p.numel() for p in pipe.unet.parameters()) // 1_000_000
assert rows == 859, rows
text = pipe.tokenizer("a dog", padding="max_length", max_length=77, return_tensors="pt").input_ids
assert pipe.text_encoder(text.to("cuda"))[0].shape == (1, 77, 768)
`,
        python,
      );
      stoodIn(result, /by the configs of Stable Diffusion/);
      await assert.rejects(
        dry(
          'from diffusers import DiffusionPipeline\nDiffusionPipeline.from_pretrained("nobody/own")\n',
          python,
        ),
        /model_index\.json of nobody\/own is not on this machine/,
      );
    });
  });
});
