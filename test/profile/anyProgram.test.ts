import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { amountsOf } from '../../src/profile/program/amounts';
import { toldGpu } from '../../src/profile/program/request';
import type { ModelTable } from '../../src/profile/program/models';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, NEVER, warmPython } from './python';

const MIB = 2 ** 20;
const sample = resolve('test/fixtures/profile/program');
const folder = mkdtempSync(join(tmpdir(), 'headroom-any-program-'));

const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);

async function dry(command: string, gpus = 1, models: ModelTable | null = null): Promise<ProgramResult> {
  const about = { gpus: gpus === 1 ? null : gpus, gpu: toldGpu(null), steps: 2, seconds: 240, models };
  const program = { command: command.split(' '), folder, ...about };
  const options = { cacheFolder, progress: () => undefined };
  return runProgram(await warmPython('program'), program, options, NEVER);
}

const HEAD = `import os, sys, torch
sys.path.insert(0, ${JSON.stringify(sample)})
from net import Net
device = "cuda"
model = Net(layers=2).cuda()
`;
const LOOP = `
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(5):
    ids = torch.randint(0, 8192, (8, 256), device=device)
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(ids, ids)
    loss.mean().backward()
    optimizer.step()
    optimizer.zero_grad()
`;

/** Parameters of test/fixtures/profile/program/net.py with two layers. */
const PARAMETERS = (8192 * 2 + 256) * 512 + 2 * (12 * 512 * 512 + 13 * 512) + 2 * 512;
const peak = (result: ProgramResult): number => amountsOf(result, null).peak.bytes;
const stoodIn = (result: ProgramResult, what: RegExp): boolean => result.standIns.some(one => what.test(one));

describe('dry runs of any program', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('keep of a compiled model what the compiler writes', async () => {
    file('eager.py', HEAD + LOOP);
    file('compiled.py', `${HEAD}model = torch.compile(model)\n${LOOP}`);
    const eager = await dry('python eager.py');
    const compiled = await dry('python compiled.py');
    assert.equal(compiled.how, 'finished');
    assert.deepEqual(compiled.standIns, ['torch.compile: fused chains counted as Inductor writes them']);
    const kept = (result: ProgramResult): number => result.alive['backward steady']?.['activations'] ?? 0;
    // Casts of weights, gelu's input of 32 bits, and the logits' logarithms are no tensors of their own.
    assert.ok(kept(compiled) < 0.75 * kept(eager), `${kept(compiled)} of ${kept(eager)}`);
    assert.ok(kept(compiled) > 0.2 * kept(eager), `${kept(compiled)} of ${kept(eager)}`);
  });

  it('make tensors of the classes that older programs use', async () => {
    file(
      'kinds.py',
      `${HEAD}
import numpy
Tensor = torch.cuda.FloatTensor
ones = Tensor(numpy.ones((4, 4)))
assert ones.is_cuda and ones.shape == (4, 4) and isinstance(ones, Tensor) and not isinstance(torch.ones(1), Tensor)
class Picture(torch.Tensor): pass
assert type(torch.as_tensor(numpy.ones(3)).as_subclass(Picture)) is Picture
picture = torch.ones(3).as_subclass(Picture).to("cuda") * 2
assert picture.is_cuda and (picture + torch.ones(3).as_subclass(Picture).cuda()).shape == (3,)
assert Tensor(2, 3).shape == (2, 3) and torch.cuda.LongTensor([1, 2]).dtype is torch.int64
assert torch.ones(3).type(torch.cuda.HalfTensor).dtype is torch.float16 and torch.ones(3).type("torch.cuda.FloatTensor").is_cuda
${LOOP}`,
    );
    assert.equal((await dry('python kinds.py')).how, 'finished');
  });

  it('keep of recurrent layers what each of their steps computes', async () => {
    const layers = (name: string, more: string): string => `import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
layers = nn.${name}(64, 128, 2, dropout=0.5, batch_first=True).cuda()
head = nn.Linear(128, 4).cuda()
optimizer = torch.optim.SGD([*layers.parameters(), *head.parameters()], lr=0.1)
for step in range(3):
    x = torch.randn(32, 100, 64).cuda()
    ${more}
    head(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
`;
    const packed = [
      'x = pack_padded_sequence(x, torch.tensor([100] * 16 + [50] * 16), batch_first=True, enforce_sorted=False)',
      'x, _ = pad_packed_sequence(layers(x)[0], batch_first=True)',
    ];
    file('lstm.py', layers('LSTM', 'x = layers(x)[0]'));
    file('gru.py', layers('GRU', 'x = layers(x)[0]'));
    file('packed.py', layers('LSTM', packed.join('\n    ')));
    const kept = async (name: string): Promise<number> => {
      const result = await dry(`python ${name}.py`);
      assert.equal(result.how, 'finished');
      return result.alive['backward steady']?.['activations'] ?? 0;
    };
    const steps = 32 * 100 * 128 * 4;
    // Gates, states and outputs of two layers; their result; its input has half of its size.
    const [lstm, gru, some] = [await kept('lstm'), await kept('gru'), await kept('packed')];
    assert.ok(lstm >= 13 * steps && lstm < 14.5 * steps, `${lstm / steps}`);
    assert.ok(gru >= 11 * steps && gru < 12.5 * steps, `${gru / steps}`);
    // Three quarters of the steps, and the padded result that the head keeps.
    assert.ok(some >= 10.5 * steps && some < 12 * steps, `${some / steps}`);
  });

  it('select by masks from tensors that are too large for values', async () => {
    file(
      'masked.py',
      `${HEAD}
large = torch.zeros(8, 1024, 4096, device=device, requires_grad=True)
mask = torch.ones(8, 1024, dtype=torch.bool, device=device)
picked = large[mask]
assert picked.shape == (8192, 4096) and large[:, mask[0]].shape == (8, 1024, 4096), picked.shape
assert torch.masked_select(large, mask[..., None]).shape == (8 * 1024 * 4096,)
picked.mean().backward()
assert large.grad.shape == large.shape
del large, picked
${LOOP}`,
    );
    const result = await dry('python masked.py');
    assert.equal(result.how, 'finished');
    assert.ok(peak(result) > 3 * 8 * 1024 * 4096 * 4);
  });

  it('load quantized weights by their storages', async () => {
    const config = { model_type: 'llama', hidden_size: 512, intermediate_size: 1024, num_hidden_layers: 2 };
    const sizes = {
      num_attention_heads: 8,
      num_key_value_heads: 8,
      vocab_size: 1024,
      torch_dtype: 'float16',
    };
    const gptq = { quant_method: 'gptq', bits: 4, group_size: 128, dataset: 'c4' };
    file('config.json', JSON.stringify({ ...config, ...sizes, quantization_config: gptq }));
    file(
      'adapters.py',
      `import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(".", device_map="auto")
print(sum(p.numel() for p in model.parameters()), file=open("sizes.txt", "w"))
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"]))
model.train()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
for step in range(3):
    ids = torch.ones(2, 64, dtype=torch.long, device="cuda")
    model(input_ids=ids, labels=ids).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
`,
    );
    const result = await dry('python adapters.py');
    assert.ok(stoodIn(result, /^weights quantized by gptq/));
    // Of each layer: 4 × 512² and 3 × 512 × 1024 at half a byte, with scales and zeros of groups of 128.
    const linear = 2 * (4 * 512 * 512 + 3 * 512 * 1024);
    const packed = linear / 2 + (linear / 128) * 2.5;
    const rest = 2 * 1024 * 512 * 2;
    const load = result.phases['load'] ?? 0;
    assert.ok(Math.abs(load / (packed + rest) - 1) < 0.15, `${load} and ${packed + rest} by hand`);
  });

  it('partition states and gather outputs on the first of several GPUs', async () => {
    file(
      'replicas.py',
      `${HEAD}
class Logits(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = model
    def forward(self, ids):
        return self.net.head(self.net.tokens(ids))
model = torch.nn.DataParallel(Logits())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    ids = torch.randint(0, 8192, (8, 256), device=device)
    out = model(ids)
    assert out.shape == (8, 256, 8192), out.shape
    out.float().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
`,
    );
    const result = await dry('python replicas.py', 4);
    assert.ok(stoodIn(result, /^nn\.DataParallel on 4 GPUs/));
    // Its share of the rows goes through the layers; all logits come back to it.
    const weights = 4 * PARAMETERS;
    const logits = 8 * 256 * 8192 * 4;
    const gathered = (result.phases['forward steady'] ?? 0) - weights;
    assert.ok(gathered > 2 * logits && gathered < 4 * logits, `${gathered} and ${logits} of logits`);
    file(
      'spawn.py',
      `${HEAD}
import torch.distributed as dist, torch.multiprocessing as mp
def work(rank, count):
    global model
    dist.init_process_group("nccl", rank=rank, world_size=count)
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
${LOOP.split('\n')
  .map(line => `    ${line}`)
  .join('\n')}
if __name__ == "__main__":
    mp.spawn(work, args=(4,), nprocs=4)
`,
    );
    const spawned = await dry('python spawn.py');
    assert.equal(spawned.gpus, 4);
    assert.ok(stoodIn(spawned, /^DDP/));
    assert.ok(peak(spawned) > 4 * 4 * PARAMETERS);
  });

  it("partition DeepSpeed's states by its stages", async () => {
    file('deepspeed.py', 'def initialize(*args, **kwargs):\n    raise OSError("no GPU")\n');
    file(
      'zero.py',
      `${HEAD}
import deepspeed
zero = {"stage": int(sys.argv[1]), "reduce_bucket_size": 1000000}
config = {"train_micro_batch_size_per_gpu": 8, "bf16": {"enabled": True}, "zero_optimization": zero}
engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
for step in range(4):
    ids = torch.randint(0, 8192, (8, 256), device=engine.device)
    engine.backward(engine(ids, ids))
    engine.step()
`,
    );
    const bytes = 2 * PARAMETERS;
    for (const [stage, whole, gradients] of [
      [1, 1, 1],
      [2, 1, 0.25],
      [3, 0.25, 0.25],
    ] as const) {
      const result = await dry(`deepspeed --num_gpus 4 zero.py ${stage}`);
      assert.equal(result.gpus, 4);
      // Weights and gradients of 16 bits, and a quarter of fp32 weights, their gradients and two states; 2 MB of bucket.
      const byHand = bytes * (whole + gradients + (2 + 2 + 4) / 4) + 2e6;
      const after = result.phases['optimizer steady'] ?? 0;
      assert.ok(Math.abs(after / byHand - 1) < 0.1, `stage ${stage}: ${after} and ${byHand} by hand`);
    }
  });

  it('go on without data, tokenizers, trackers and words that nobody gave', async () => {
    file(
      'lacking.py',
      `import argparse
import wandb
import comet_ml
import sentencepiece_of_another_task
from another_framework.layers import Layer
class Unused(Layer):
    pass
try:
    import apex_or_not
    raise SystemExit("a package that nobody has")
except ImportError:
    pass
text = open("shakespeare.txt").read()
assert len(set(text)) > 60 and len(text) > 100_000
from neptune import init_run as begin
from transformers import AutoModelForSequenceClassification, AutoTokenizer
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--output_dir", required=True)
parser.add_argument("data_path")
given = parser.parse_args()
wandb.init(project="x", config=vars(given))
a, b = wandb.pair()
name = input("name: ")
tokenizer = AutoTokenizer.from_pretrained("nobody/tiny")
model = AutoModelForSequenceClassification.from_pretrained("nobody/tiny", num_labels=3).cuda()
state = torch.load("nowhere.pt")
model.load_state_dict(state["model"])
assert state["epoch"] == 0
assert model.dtype == torch.bfloat16, "the dtype of its checkpoint, as Transformers does since 5"
optimizer = torch.optim.AdamW(model.parameters())
for step in range(5):
    batch = tokenizer(["a b c"] * 4, padding="max_length", max_length=64, truncation=True, return_tensors="pt").to("cuda")
    loss = model(**batch, labels=torch.zeros(4, dtype=torch.long, device="cuda")).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    wandb.log({"loss": loss.item()})
`,
    );
    const sizes = { hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 128 };
    const config = {
      model_type: 'llama',
      dtype: 'bfloat16',
      ...sizes,
      num_key_value_heads: 4,
      vocab_size: 512,
      pad_token_id: 0,
    };
    const result = await dry('python lacking.py', 1, { configs: [config], names: { 'nobody/tiny': 0 } });
    assert.equal(result.how, 'finished');
    for (const what of [
      /^nothing for wandb/,
      /output_dir/,
      /data_path/,
      /input\(\)/,
      /nowhere\.pt/,
      /shakespeare\.txt/,
    ]) {
      assert.ok(stoodIn(result, what), String(what));
    }
    assert.ok(stoodIn(result, /nobody\/tiny by its sizes in Headroom's catalog/));
    assert.ok(stoodIn(result, /words as tokens for nobody\/tiny/));
    assert.ok(peak(result) < 8 * MIB);
    file('used.py', 'import of_another_task as o\nimport torch\ntorch.ones(1).cuda()\no.encode("a")\n');
    await assert.rejects(dry('python used.py'), /needs of_another_task/);
  });
});
