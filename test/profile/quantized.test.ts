import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toldGpu } from '../../src/profile/program/request';
import type { ProgramResult } from '../../src/profile/program/result';
import { runProgram } from '../../src/profile/program/runProgram';
import { cacheFolder, interpreter, NEVER } from './python';

const folder = mkdtempSync(join(tmpdir(), 'headroom-quantized-'));
const SIZES = { hidden_size: 512, intermediate_size: 1024, num_hidden_layers: 2, num_attention_heads: 8 };
const CONFIG = { model_type: 'llama', ...SIZES, num_key_value_heads: 8, vocab_size: 1024, dtype: 'bfloat16' };

/** Elements of the linear layers: of each layer 4 × 512² and 3 × 512 × 1024. */
const LINEAR = 2 * (4 * 512 * 512 + 3 * 512 * 1024);

/** A dry run of train.py. */
async function dry(): Promise<ProgramResult> {
  const python = { ...interpreter(), executable: process.env['HEADROOM_TEST_QUANTIZED_PYTHON'] ?? '' };
  const about = { gpus: null, gpu: toldGpu(null), steps: 2, seconds: 240, models: null };
  const program = { command: ['python', 'train.py'], folder, ...about };
  const result = await runProgram(python, program, { cacheFolder, progress: () => undefined }, NEVER);
  assert.equal(result.how, 'finished');
  return result;
}

/** What is alive in a first forward pass, by its purpose, of a program that loads weights and goes on to train adapters. */
async function loaded(given: string): Promise<Readonly<Record<string, number>>> {
  writeFileSync(join(folder, 'config.json'), JSON.stringify(CONFIG));
  writeFileSync(
    join(folder, 'train.py'),
    `import torch
from transformers import AutoModelForCausalLM
${given}
model = AutoModelForCausalLM.from_pretrained(".", quantization_config=given, dtype=torch.bfloat16, device_map="cuda")
from peft import LoraConfig, get_peft_model
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
  const result = await dry();
  assert.ok(result.standIns.some(one => one.startsWith('weights quantized by')));
  return result.alive['forward first'] ?? {};
}

/** Of modules that keep packed weights as buffers, or as tensors without a purpose. */
const packed = ({ buffers = 0, inputs = 0 }: Readonly<Record<string, number>>): number => buffers + inputs;

const near = (bytes: number, byHand: number): void =>
  assert.ok(Math.abs(bytes / byHand - 1) < 0.05, `${bytes} and ${byHand} by hand`);

describe('dry runs of quantized loads', function () {
  before(function () {
    if (!process.env['HEADROOM_TEST_QUANTIZED_PYTHON']) this.skip();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('HQQ: 4 bits, a scale and a zero of 16 bits for each 64', async () => {
    near(
      packed(await loaded('from transformers import HqqConfig\ngiven = HqqConfig(nbits=4, group_size=64)')),
      LINEAR / 2 + (LINEAR / 64) * 4,
    );
  });

  it('AWQ: 4 bits, a scale of 16 bits and a zero of 4 for each 128', async () => {
    near(
      packed(await loaded('from transformers import AwqConfig\ngiven = AwqConfig(bits=4, group_size=128)')),
      LINEAR / 2 + (LINEAR / 128) * 2.5,
    );
  });

  it('torchao: 8 bits and a scale of 16 bits for each row, as weights', async () => {
    const { weights = 0, temporaries = 0 } = await loaded(
      `from transformers import TorchAoConfig
from torchao.quantization import Int8WeightOnlyConfig
given = TorchAoConfig(Int8WeightOnlyConfig())`,
    );
    const scales = 2 * (5 * 512 + 2 * 1024) * 2;
    const rest = 2 * 1024 * 512 * 2;
    near(weights, LINEAR + scales + rest);
    assert.ok(temporaries < LINEAR / 4, `${temporaries} bytes have no purpose`);
  });

  it('bitsandbytes: NF4 with a scale of 8 bits for each 64, of which a product unpacks one', async () => {
    const layers = 8;
    writeFileSync(
      join(folder, 'train.py'),
      `import torch
import bitsandbytes as bnb
frozen = [bnb.nn.Linear4bit(1024, 1024, bias=False, compute_dtype=torch.bfloat16, quant_type="nf4").cuda() for _ in range(${layers})]
assert frozen[0].weight.dtype == torch.uint8 and frozen[0].weight.quant_state.quant_type == "nf4"
head = torch.nn.Linear(1024, 16, bias=False, dtype=torch.bfloat16, device="cuda")
model = torch.nn.Sequential(*frozen, head)
optimizer = torch.optim.SGD(head.parameters())
for step in range(3):
    x = torch.zeros(8, 1024, dtype=torch.bfloat16, device="cuda", requires_grad=True)
    model(x).mean().backward()
    optimizer.step()
`,
    );
    const { phases, alive } = await dry();
    // The scales themselves have a scale of 32 bits for each 256.
    const held = layers * 1024 * 1024 * (1 / 2 + 1 / 64 + 4 / 64 / 256);
    const unpacked = 1024 * 1024 * 2;
    near(phases['forward first'] ?? 0, held + unpacked);
    near(alive['forward first']?.['weights'] ?? 0, (layers * 1024 * 1024) / 2);
  });

  it('a weight that becomes NF4 where it is', async () => {
    writeFileSync(
      join(folder, 'train.py'),
      `import torch
from torchao.quantization.quantize_.workflows.nf4.nf4_tensor import linear_nf4, to_nf4
frozen = torch.nn.Linear(1024, 1024, bias=False, dtype=torch.bfloat16, device="cuda").requires_grad_(False)
torch.utils.swap_tensors(frozen.weight, torch.nn.Parameter(to_nf4(frozen.weight), requires_grad=False))
assert type(frozen.weight).__name__ == "NF4Tensor"
model = torch.nn.Linear(1024, 1024, bias=False, dtype=torch.bfloat16, device="cuda")
optimizer = torch.optim.SGD(model.parameters())
for step in range(3):
    x = model(torch.zeros(8, 1024, dtype=torch.bfloat16, device="cuda"))
    linear_nf4(input=x, weight=frozen.weight).mean().backward()
    optimizer.step()
`,
    );
    await dry();
  });
});
