import assert from 'node:assert/strict';
import { judge } from '../core/support';
import { pythonRuns } from '../../../src/core/reading/program/runs';
import { runOf } from './support';

describe('programs of other frameworks', () => {
  it('are read by Unsloth where they import it, with its defaults', async () => {
    const run = await runOf(
      `from unsloth import FastLanguageModel, is_bfloat16_supported
from trl import SFTTrainer
from transformers import TrainingArguments
max_seq_length = 2048
model, tokenizer = FastLanguageModel.from_pretrained(model_name = "unsloth/llama-3-8b-bnb-4bit", max_seq_length = max_seq_length)
model = FastLanguageModel.get_peft_model(model, r = 8, use_gradient_checkpointing = "unsloth")
trainer = SFTTrainer(model = model, max_seq_length = max_seq_length, args = TrainingArguments(
    per_device_train_batch_size = 2,
    bf16 = is_bfloat16_supported(),
    optim = "adamw_8bit",
))
trainer_stats = trainer.train()
`,
      'a.py',
    );
    const { model, method, microBatchSize, seqLen, lora, offload, precision, quantization } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, method.value, microBatchSize.value, seqLen.value, precision.value],
      ['unsloth', 'unsloth/llama-3-8b-bnb-4bit', 'qlora', 2, 2048, 'bf16'],
    );
    assert.deepEqual([lora.value?.r, lora.value?.alpha, quantization.value?.bits], [8, 16, 4]);
    assert.equal(offload.value?.activations, 'cpu');
  });

  it('are read by transformers’ Trainer, with the task of the class', async () => {
    const run = await runOf(
      `from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
Trainer(model, TrainingArguments("out", per_device_train_batch_size=32)).train()
`,
      'a.py',
    );
    const { model, task, microBatchSize } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, task.value, microBatchSize.value],
      ['hf-trainer', 'bert-base-uncased', 'sequence_classification', 32],
    );
  });

  const LOADED = `import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
config = BitsAndBytesConfig(load_in_4bit=True)
model = AutoModelForCausalLM.from_pretrained("org/m", quantization_config=config, device_map="auto").eval()
`;

  it('are runs that only load a model where they generate with it', async () => {
    const run = await runOf(`${LOADED}print(model.generate(ids))\n`, 'a.py');
    const { model, task, quantization } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, task.value, quantization.value?.bits],
      ['transformers-loading', 'org/m', 'load', 4],
    );
    const piped = await runOf(
      'from transformers import pipeline\npipe = pipeline("text-generation", "org/m", device=-1)\n',
      'a.py',
    );
    assert.deepEqual(
      [piped.quantities.model.value, piped.quantities.task.value, piped.quantities.accelerator.value],
      ['org/m', 'load', 'cpu'],
    );
  });

  it('are no such runs where they train, only load, or load what they are told to', () => {
    const pipe = (model: string): string =>
      `from transformers import pipeline\np = pipeline("fill-mask", ${model})\n`;
    const texts = [
      LOADED,
      `${LOADED}loss.backward()\nmodel.generate(ids)\n`,
      LOADED.replace('"org/m"', 'name') + 'model.generate(ids)\n',
      pipe('model=name'),
      pipe('model=""'),
      'from transformers import pipeline\np = pipeline("fill-mask")\n',
    ];
    for (const text of texts) assert.deepEqual(pythonRuns('a.py', text), [], text);
  });

  it('are read by vLLM, whose keys have dashes', async () => {
    const run = await runOf(
      'import vllm\nllm = vllm.LLM("org/m", max_model_len=4096, tensor_parallel_size=2)\n',
      'a.py',
    );
    const { model, seqLen, parallel } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, seqLen.value, parallel.value?.tensor],
      ['vllm', 'org/m', 4096, 2],
    );
  });
});

describe('calls beside a Trainer', () => {
  const program = (tokenizing: string, more = ''): string =>
    `from transformers import AutoModelForSequenceClassification, TrainingArguments, Trainer
LIMIT = 256
${tokenizing}
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
${more}
args = TrainingArguments("out", per_device_train_batch_size=8)
Trainer(model=model, args=args, train_dataset=rows).train()
`;
  const inFunction = (call: string): string => `def cut(batch, tokenizer):\n    return ${call}`;
  const WHOLE = 'tokenizer(batch["text"], truncation=True, max_length=LIMIT)';

  const cases: [title: string, tokenizing: string, tokens: number | null][] = [
    ['a function with an unknown tokenizer', inFunction(WHOLE), 256],
    ['a lambda', `rows = load().map(lambda batch: ${WHOLE})`, 256],
    ['two that agree', `${inFunction(WHOLE)}\nrows = tokenizer(texts, truncation=True, max_length=256)`, 256],
    [
      'two that differ',
      `${inFunction(WHOLE)}\nrows = tokenizer(texts, truncation=True, max_length=64)`,
      null,
    ],
    ['one that nobody knows', inFunction(WHOLE.replace('LIMIT', 'limit()')), null],
    ['one that cuts nothing', inFunction(WHOLE.replace('=True', '=False')), null],
  ];
  for (const [title, tokenizing, tokens] of cases) {
    it(`give the length of its rows: ${title}`, async () => {
      const { seqLen } = (await runOf(program(tokenizing), 'train.py')).quantities;
      assert.equal(seqLen.value, tokens);
    });
  }

  it('turn checkpointing on if they are certain', async () => {
    const checkpointing = async (more: string): Promise<boolean | null> =>
      (await runOf(program('', more), 'train.py')).quantities.gradientCheckpointing.value;
    assert.equal(await checkpointing('model.gradient_checkpointing_enable()'), true);
    assert.equal(await checkpointing('if given():\n    model.gradient_checkpointing_enable()'), null);
    assert.equal(await checkpointing('if False:\n    model.gradient_checkpointing_enable()'), false);
  });

  it('do not win over an argument of the run', async () => {
    const text = program('', 'model.gradient_checkpointing_enable()').replace(
      'TrainingArguments("out"',
      'TrainingArguments("out", gradient_checkpointing=False',
    );
    assert.equal((await runOf(text, 'train.py')).quantities.gradientCheckpointing.value, false);
  });
});

describe('a program that asks the GPU', () => {
  const program = `import torch
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
if torch.cuda.get_device_capability()[0] >= 8:
    dtype = torch.bfloat16
else:
    dtype = torch.float16
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", torch_dtype=dtype)
bf16 = torch.cuda.is_bf16_supported()
args = SFTConfig("out", bf16=bf16, fp16=not bf16, max_length=512)
SFTTrainer(model=model, args=args, train_dataset=rows).train()
`;

  it('computes in bf16, which takes what fp16 takes', async () => {
    const { precision, loadDtype } = (await runOf(program, 'train.py')).quantities;
    assert.deepEqual([precision.value, loadDtype.value], ['bf16', 'bf16']);
  });

  it('is not told that a GPU has no bf16', async () => {
    const rulesOn = async (text: string): Promise<readonly string[]> =>
      (await judge({ 'train.py': text }, 'T4')).runs.flatMap(({ findings }) =>
        findings.map(({ rule }) => rule),
      );
    assert.ok(!(await rulesOn(program)).includes('bf16-unsupported'));
    const always = program.replace('bf16 = torch.cuda.is_bf16_supported()', 'bf16 = True');
    assert.ok(
      (await rulesOn(always.replace(/if torch[^]*?(?=model =)/, 'dtype = None\n'))).includes(
        'bf16-unsupported',
      ),
    );
  });
});

describe('doors beside transformers and TRL', () => {
  it('leave AMP’s dtype to a program that sets that of autocast', async () => {
    const precisionOf = async (first: string, more: string): Promise<unknown> =>
      (
        await runOf(
          `import torch\nfrom ultralytics import YOLO\n${first}YOLO("yolo11n.pt").train(data="a.yaml", epochs=3, batch=8${more})\n`,
          'a.py',
        )
      ).quantities.precision.value;
    const sets = 'torch.set_autocast_dtype("cuda", torch.bfloat16)\n';
    assert.equal(await precisionOf('', ''), 'fp16-mixed');
    assert.equal(await precisionOf(sets, ''), null);
    assert.equal(await precisionOf(sets, ', amp=False'), 'fp32');
  });

  it('are YOLO’s method, with the model that it belongs to', async () => {
    const run = await runOf(
      `from ultralytics import YOLO
model = YOLO("yolo11n-cls.pt")
if __name__ == "__main__":
    results = model.train(data="birds", epochs=30, batch=64, device=[0, 1])
`,
      'a.py',
    );
    const { model, task, globalBatchSize, microBatchSize, imageSize, gpus } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, task.value],
      ['ultralytics', 'yolo11n-cls.pt', 'image_classification'],
    );
    assert.deepEqual([globalBatchSize.value, microBatchSize.value, gpus.value], [64, 32, 2]);
    assert.deepEqual(imageSize.value, [224, 224]);
  });

  it('are trainers of sentence-transformers, and its fit with a loader', async () => {
    const trainer = await runOf(
      `from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
model = SentenceTransformer("BAAI/bge-small-en-v1.5")
model.max_seq_length = 256
args = SentenceTransformerTrainingArguments(output_dir="out", per_device_train_batch_size=16, fp16=True)
SentenceTransformerTrainer(model=model, args=args, train_dataset=rows, loss=loss).train()
`,
      'a.py',
    );
    const { model, seqLen, microBatchSize, precision, task } = trainer.quantities;
    assert.deepEqual(
      [model.value, seqLen.value, microBatchSize.value, precision.value, task.value],
      ['BAAI/bge-small-en-v1.5', 256, 16, 'fp16-mixed', 'contrastive_embedding'],
    );
    const fit = await runOf(
      `from sentence_transformers import SentenceTransformer, models, losses
from torch.utils.data import DataLoader
words = models.Transformer(NAME, max_seq_length=128)
model = SentenceTransformer(modules=[words, models.Pooling(768)])
loader = DataLoader(rows, shuffle=True, batch_size=8)
dev = DataLoader(others, batch_size=64)
model.fit(train_objectives=[(loader, losses.CosineSimilarityLoss(model))], epochs=1)
`,
      'a.py',
    );
    assert.deepEqual([fit.quantities.microBatchSize.value, fit.quantities.seqLen.value], [8, 128]);
  });

  it('are Lightning’s Trainer, with the batch of the loader that shuffles', async () => {
    const run = await runOf(
      `import lightning as L
from torch.utils.data import DataLoader
train = DataLoader(rows, batch_size=32, shuffle=True)
val = DataLoader(others, batch_size=256)
trainer = L.Trainer(accelerator="gpu", devices=2, precision="bf16-mixed", accumulate_grad_batches=4)
trainer.fit(Net(), train, val)
`,
      'a.py',
    );
    const { microBatchSize, gradAccum, precision, gpus } = run.quantities;
    assert.deepEqual(
      [run.dialect, microBatchSize.value, gradAccum.value, precision.value, gpus.value],
      ['lightning-cli', 32, 4, 'bf16-mixed', 2],
    );
  });

  it('are Lightning’s Trainer with the arguments of a parser', async () => {
    const run = await runOf(
      `import argparse
from pytorch_lightning import Trainer
from torch.utils.data import DataLoader
parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=24)
args = Trainer.add_argparse_args(parser).parse_args()
trainer = Trainer.from_argparse_args(args)
trainer.fit(Net(), DataLoader(rows, batch_size=args.batch_size, shuffle=True))
`,
      'a.py',
    );
    assert.deepEqual([run.dialect, run.quantities.microBatchSize.value], ['lightning-cli', 24]);
  });

  it('are classes that a command line fills in: their defaults, and those that they inherit', async () => {
    const run = await runOf(
      `from dataclasses import dataclass, field
import transformers
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer
@dataclass
class ModelArguments:
    model_name: str = field(default="org/m")
@dataclass
class Arguments(transformers.TrainingArguments):
    optim: str = field(default="adafactor")
def train():
    parser = HfArgumentParser((ModelArguments, Arguments))
    model_args, args = parser.parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name)
    trainer = Trainer(model=model, args=args)
    trainer.train()
`,
      'a.py',
    );
    const { model, optimizer, microBatchSize } = run.quantities;
    assert.deepEqual([model.value, optimizer.value, microBatchSize.value], ['org/m', 'adafactor', 8]);
  });

  it('checkpoint what is prepared for training in 4 bits', async () => {
    const run = (prepared: string, quantized: string) =>
      runOf(
        `from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("org/m"${quantized})
model = prepare_model_for_kbit_training(model${prepared})
model = get_peft_model(model, LoraConfig(r=8))
Trainer(model=model, args=TrainingArguments("out")).train()
`,
        'a.py',
      );
    const bnb = ', quantization_config=BitsAndBytesConfig(load_in_4bit=True)';
    const values = [
      await run('', bnb),
      await run(', use_gradient_checkpointing=False', bnb),
      await run('', ''),
    ];
    assert.deepEqual(
      values.map(({ quantities }) => quantities.gradientCheckpointing.value),
      [true, false, false],
    );
  });

  it('know nothing of a model that only the program knows', async () => {
    const run = await runOf(
      `from transformers import Trainer, TrainingArguments
def start(model):
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=2)).train()
`,
      'a.py',
    );
    const { method, quantization, microBatchSize } = run.quantities;
    assert.deepEqual([method.value, quantization.value, microBatchSize.value], [null, null, 2]);
    assert.equal(method.origin.kind, 'unresolved');
  });

  it('are no runs where a function only hands on what its callers say', () => {
    const helper = `from trl import SFTConfig, SFTTrainer
def main(script_args, training_args, model_args):
    args = SFTConfig(output_dir="out", bf16=True, per_device_train_batch_size=training_args.batch)
    SFTTrainer(model=model_args.name, args=args).train()
`;
    assert.equal(pythonRuns('a.py', helper).length, 0);
    assert.equal(pythonRuns('a.py', helper.replace('training_args.batch', '4')).length, 1);
    const engine = `from vllm import LLM
class Generation:
    def __init__(self, model, args):
        self.llm = LLM(model=model.name, tensor_parallel_size=args.ranks, max_num_batched_tokens=4096)
`;
    assert.equal(pythonRuns('a.py', engine).length, 0);
  });

  it('are read from each value that a function returns', async () => {
    const program = (returned: string, bound: string) => `import fire
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
def load(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(name), LoraConfig(r=16))
    return ${returned}
def train(name="gpt2", batch: int = 4):
    ${bound} = load(name)
    trainer = Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=batch))
    trainer.train()
fire.Fire(train)
`;
    for (const order of ['model, tokenizer', 'tokenizer, model', '(tokenizer, model)']) {
      const run = await runOf(program(order, order.replaceAll(/[()]/g, '')), 'a.py');
      const { model, lora, microBatchSize } = run.quantities;
      assert.deepEqual([model.value, lora.value?.r, microBatchSize.value], ['gpt2', 16, 4], order);
    }
  });

  it('take the length of rows from how they are filled up, and from blocks of a data set', async () => {
    const program = (
      rows: string,
    ) => `from transformers import GPT2LMHeadModel, TextDataset, Trainer, TrainingArguments
model = GPT2LMHeadModel.from_pretrained("gpt2")
rows = ${rows}
trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=rows)
trainer.train()
`;
    const ways = {
      'TextDataset(tokenizer=tokenizer, file_path="a.txt", block_size=64)': 64,
      'texts.map(lambda row: tokenizer(row["text"], padding="max_length", max_length=96))': 96,
      'texts.map(lambda row: tokenizer(row["text"], max_length=96))': null,
    };
    for (const [rows, length] of Object.entries(ways)) {
      const { seqLen } = (await runOf(program(rows), 'a.py')).quantities;
      assert.equal(seqLen.origin.kind === 'file' ? seqLen.value : null, length, rows);
    }
  });
});
