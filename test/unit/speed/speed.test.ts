import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { runSpeed } from '../../../src/core/plan/speed';
import { describeSpeed, shortDollars, speedLine } from '../../../src/core/render/speed';
import { CONSTANTS, PRIORS } from '../../../src/core/speed/constants';
import type { ConstantName } from '../../../src/core/speed/constants';
import { deviceOf, productSeconds, reachedShare } from '../../../src/core/speed/roofline';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import type { Speed } from '../../../src/core/speed/speed';
import { axolotl, judge, judged, theGpus } from '../core/support';
import { tries } from '../../tries';
import { english } from '../../../src/core/text/say';

type Changes = Readonly<Record<string, string | number | boolean>>;

async function known(changes: Changes = {}, gpu = 'H100 SXM'): Promise<Speed> {
  const speed = runSpeed(await judged(axolotl(changes), gpu));
  assert.ok(speed.ok, speed.ok ? '' : speed.missing.join('; '));
  return speed;
}

async function missing(changes: Changes, gpu: string | null = 'H100 SXM'): Promise<string> {
  const speed = runSpeed(await judged(axolotl(changes), gpu));
  assert.ok(!speed.ok);
  return speed.missing.join('; ');
}

const near = (a: number, b: number): void => assert.ok(Math.abs(a / b - 1) < 1e-9, `${a} is not ${b}`);

describe('the speed of a run', () => {
  it('says a cost below a cent with a digit that counts', async () => {
    const speed = await known({ max_steps: 1500 });
    const of = (expected: number) =>
      shortDollars({ ...speed, dollars: { low: expected, expected, high: expected } });
    assert.deepEqual([0, 0.00026, 0.001, 0.0049, 0.01, 5.1].map(of), [
      '$0.00',
      '$0.0003',
      '$0.001',
      '$0.005',
      '$0.01',
      '$5.10',
    ]);
  });

  it('says tokens a second, hours and dollars of a LoRA run', async () => {
    const speed = await known({ max_steps: 1500 });
    assert.equal(speed.unit, 'tokens');
    assert.equal(speed.perStep, 8 * 4 * 4096);
    assert.deepEqual(speed.length, { steps: 1500, from: 'as the config says' });
    const [rate = '', cost = '', dominant = ''] = describeSpeed(english, speed);
    assert.match(rate, /^≈ [\d,.]+ tokens\/s per GPU \([\d,.]+–[\d,.]+\), [\d.]+ s a step, \d+ % of/);
    assert.match(cost, /for 1,500 steps \(as the config says\), \$[\d.,]+ \(.*RunPod 20\d\d-/);
    assert.match(dominant, /^\d+ % of a step [a-z]/);
    assert.match(
      speedLine(english, speed),
      /^≈ [\d.]+ h and \$[\d.]+ for 1,500 steps, [\d,]+ tokens\/s per GPU$/,
    );
  });

  it('has dimensions that agree', async () => {
    const speed = await known({ max_steps: 1500 });
    near(speed.hours.expected, (speed.secondsPerStep.expected * 1500) / 3600);
    near(speed.perSecondPerGpu.expected, speed.perStep / speed.gpus / speed.secondsPerStep.expected);
    near(speed.perSecondPerGpu.low, speed.perStep / speed.gpus / speed.secondsPerStep.high);
    assert.ok(speed.price && speed.dollars && speed.kilowattHours);
    near(speed.dollars.high, speed.hours.high * speed.gpus * speed.price.usdPerHour);
    near(speed.kilowattHours.expected, speed.hours.expected * 0.7);
    near(
      speed.shares.reduce((sum, { share }) => sum + share, 0),
      1,
    );
    assert.ok(speed.mfu > 0.05 && speed.mfu < 0.8, `${speed.mfu}`);
  });

  it('says texts a second for embedding, by batch, and what a longer text costs', async () => {
    const embedding = async (length: number): Promise<Speed> => {
      const text = `embeddings:\n  model: BAAI/bge-m3\n  device: cuda\n  batch_size: 64\n  max_length: ${length}\n  dtype: float16\ninput: a.jsonl\n`;
      const [run] = (await judge({ 'embed.yaml': text }, 'V100 32GB')).runs;
      const speed = runSpeed(run ?? assert.fail());
      return speed.ok ? speed : assert.fail(speed.missing.join('; '));
    };
    const speed = await embedding(512);
    assert.equal(speed.perStep, 64 * 512);
    const [rate = '', cost = '', dominant = ''] = describeSpeed(english, speed);
    assert.match(rate, /tokens\/s per GPU .* s a batch/);
    assert.match(cost, /for 1,000 batches/);
    assert.match(dominant, /of a batch multiplies/);
    assert.ok(speed.assumptions.includes('texts of 512 tokens, the limit'));
    assert.match(speedLine(english, speed), /for 1,000 batches, .* per GPU, if rows have 512 tokens$/);
    const longer = await embedding(2048);
    assert.ok(longer.secondsPerStep.expected > 4 * speed.secondsPerStep.expected, 'attention grows faster');
  });

  it('counts what a network multiplies that is read on shapes', async () => {
    const config = "_base_ = 'mmseg::pspnet/pspnet_r50-d8_4xb4-80k_ade20k-512x512.py'\n";
    const [run] = (await judge({ 'pspnet.py': config }, 'H100')).runs;
    assert.ok(run?.estimate?.devices[0]);
    const speed = runSpeed(run);
    assert.ok(speed.ok);
    assert.deepEqual([speed.unit, speed.perStep], ['samples', 4]);
    assert.ok(speed.mfu > 0.05 && speed.mfu < 0.6, `${speed.mfu}`);
    const products = speed.shares.find(({ part }) => part === 'products');
    assert.ok(products !== undefined && products.share > 0.3, 'convolutions are most of it');
  });

  it('gives the hours of 1,000 steps where nothing says how many there are', async () => {
    const speed = await known({ num_epochs: 3 });
    assert.equal(speed.length, null);
    near(speed.hours.expected, (speed.secondsPerStep.expected * 1000) / 3600);
    assert.equal((await known({ max_steps: -1 })).length, null);
  });

  it('counts the steps of rows that the config limits, or that the table of public datasets has', async () => {
    const lora = `model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
finetuning_type: lora
template: qwen
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 3.0
bf16: true
`;
    const lengthOf = async (rows: string): Promise<unknown> => {
      const [run] = (await judge({ 'tune.yaml': lora + rows }, 'H100')).runs;
      const speed = run && runSpeed(run);
      assert.ok(speed?.ok);
      return speed.length;
    };
    const limited = await lengthOf('dataset: mine\nmax_samples: 1000\n');
    assert.deepEqual(limited, { steps: 375, from: '3 epochs of at most 1,000 rows' });
    const named = 'dataset_dir: ONLINE\ndataset: AI-ModelScope/alpaca-gpt4-data-en\n';
    assert.deepEqual(await lengthOf(named), { steps: 19_501, from: '3 epochs of 52,002 rows' });
    const both = `${named}max_samples: 500\n`;
    assert.deepEqual(await lengthOf(both), { steps: 188, from: '3 epochs of 500 rows' });
    assert.equal(await lengthOf('dataset: mine\n'), null);
    assert.equal(await lengthOf('dataset: mine\nmax_samples: 1000\npacking: true\n'), null);
  });

  it('takes rows that are not packed to be as long as in public data, and says so', async () => {
    const unpacked = await known({ sample_packing: false, max_steps: 100 });
    const packed = await known({ max_steps: 100 });
    const width = ({ secondsPerStep: { low, high } }: Speed): number => high / low;
    assert.ok(width(unpacked) > 3 * width(packed));
    assert.ok(unpacked.secondsPerStep.expected < packed.secondsPerStep.expected);
    assert.match(
      unpacked.assumptions[0] ?? '',
      /^rows of \d+ tokens \(\d+ to [\d,]+\), usual in public data/,
    );
    assert.match(
      speedLine(english, unpacked),
      new RegExp(`, if rows have ${unpacked.assumedTokens} tokens$`),
    );
    assert.equal(packed.assumedTokens, undefined);
  });

  it('takes them to be as long as the table says where the data are public', async () => {
    const datasets = 'datasets:\n  - {path: yahma/alpaca-cleaned, type: alpaca}\n';
    const file = axolotl({ sample_packing: false, sequence_len: 8192 }) + datasets;
    const [run] = (await judge({ 'a.yaml': file })).runs;
    assert.ok(run);
    const speed = runSpeed(run);
    assert.ok(speed.ok && speed.assumedTokens);
    assert.ok(speed.assumedTokens >= 170 && speed.assumedTokens < 600);
    assert.match(speed.assumptions[0] ?? '', /by published lengths of the data$/);
    assert.equal(runSpeed(run, undefined, 'counted').ok, false);
  });

  it('stays unknown without a GPU type', async () => {
    assert.match(await missing({}, '80GB'), /the GPU type/);
    assert.match(await missing({}, null), /the GPU type/);
  });

  it('takes longer with more rows, longer rows, more accumulation, recomputation or a larger model', async () => {
    const seconds = async (changes: Changes): Promise<number> =>
      (await known({ micro_batch_size: 1, gradient_accumulation_steps: 1, ...changes })).secondsPerStep
        .expected;
    const least = await seconds({ gradient_checkpointing: false });
    const more: readonly Changes[] = [
      { micro_batch_size: 2 },
      { sequence_len: 8192 },
      { gradient_accumulation_steps: 2 },
      { gradient_checkpointing: true },
      { base_model: 'meta-llama/Llama-2-13b-hf' },
    ];
    for (const changes of more) {
      const longer = await seconds({ gradient_checkpointing: false, ...changes });
      assert.ok(longer > least, `${JSON.stringify(changes)}: ${longer} is not more than ${least}`);
    }
  });

  it('is never faster with more FLOPs', async () => {
    const sizes = fc.record({
      rows: fc.integer({ min: 1, max: 16 }),
      tokens: fc.integer({ min: 4, max: 64 }).map(n => n * 128),
      more: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ rows, tokens, more }) => {
        const at = (micro_batch_size: number): Promise<Speed> =>
          known({ micro_batch_size, sequence_len: tokens });
        const [few, many] = [await at(rows), await at(rows + more)];
        assert.ok(many.secondsPerStep.expected >= few.secondsPerStep.expected);
      }),
      { numRuns: tries(8) },
    );
  });

  it('is never more than twice as fast on twice the GPUs with the same effective batch', async () => {
    const seconds = async (gpu: string, gpus: number, sharded: boolean): Promise<number> => {
      const sharding = sharded ? { fsdp_version: 2, fsdp_config: '{reshard_after_forward: true}' } : {};
      const changes = { micro_batch_size: 1, gradient_accumulation_steps: 32 / gpus, ...sharding };
      return (await known(changes, `${gpus}x ${gpu}`)).secondsPerStep.expected;
    };
    // Sharding spares a thousandth elsewhere, such as casts of whole gradients.
    for (const gpu of ['H100 SXM', 'RTX 4090']) {
      for (const sharded of [false, true]) {
        for (const gpus of [1, 2, 4, 8, 16]) {
          const [few, many] = [await seconds(gpu, gpus, sharded), await seconds(gpu, 2 * gpus, sharded)];
          assert.ok(many >= few / 2.002, `${gpu}, ${gpus} GPUs, sharded ${sharded}: ${few}, ${many}`);
        }
      }
    }
  });

  it('waits for the host where kernels are many and tokens few: half the tokens take as long', async () => {
    const of = (sequence_len: number): Promise<Speed> => known({ micro_batch_size: 1, sequence_len });
    const [few, many] = [await of(128), await of(256)];
    assert.equal(few.shares[0]?.part, 'host');
    assert.ok(many.secondsPerStep.expected < 1.15 * few.secondsPerStep.expected);
    assert.notEqual((await of(8192)).shares[0]?.part, 'host');
  });

  it('pays for communication that hides behind computing', async () => {
    const sharding = { fsdp_version: 2, fsdp_config: '{reshard_after_forward: true}' };
    const speed = await known({ micro_batch_size: 4, sequence_len: 4096, ...sharding }, '8x H100 SXM');
    const share = speed.shares.find(({ part }) => part === 'communication')?.share ?? 0;
    assert.ok(share > 0.001 && share < 0.2, String(share));
  });

  it('computes around fp8 in 16 bits, not in fp32', async () => {
    const path = 'test/fixtures/configs/mosaicml__llm-foundry/scripts/train/yamls/pretrain/mpt-7b.yaml';
    const text = readFileSync(path, 'utf8').replace('n_layers: 32', 'n_layers: 4').replace('PURE', 'DEFAULT');
    const foundry = (precision: string): Promise<RunAnalysis> =>
      judged(text.replace('amp_bf16', precision), '8x H100 SXM');
    const fp32 = ({ estimate }: RunAnalysis): number =>
      (estimate?.work?.[0]?.forward.products ?? []).filter(({ arithmetic }) => arithmetic === 'fp32').length;
    const [half, eight] = [await foundry('amp_bf16'), await foundry('amp_fp8')];
    assert.ok(eight.estimate?.work?.[0], eight.missing.join('; '));
    assert.equal(fp32(eight), fp32(half));
  });

  it('knows the published rates of the GPUs that people train on', () => {
    for (const name of ['H100 SXM', 'A100 SXM4 80GB', 'RTX 4090', 'T4', 'L4', 'A10G', 'B200', 'MI300X']) {
      const gpu = theGpus.find(name);
      assert.ok(gpu?.rates?.half && gpu.bandwidthGBs && gpu.powerW, name);
    }
  });

  it('knows what limits a GPU: tensor cores at half rate, 75 W of power, or neither', () => {
    const kinds = { 'RTX 4090': 'halved', A10G: 'halved', L20: 'halved', T4: 'capped', L4: 'capped' };
    for (const [name, kind] of Object.entries({ ...kinds, 'RTX A6000': 'other', 'GTX 1080 Ti': 'other' })) {
      assert.equal(deviceOf(theGpus.find(name))?.generation, kind, name);
    }
    assert.equal(reachedShare('halved', 'fp32', CONSTANTS), CONSTANTS.productOther, 'not of tensor cores');
    assert.ok(reachedShare('halved', 'half', CONSTANTS) > 2 * reachedShare('capped', 'half', CONSTANTS));
  });

  it('takes a convolution for a product whose rows share what they read', () => {
    const device = deviceOf(theGpus.find('RTX 3090'));
    assert.ok(device);
    // 3 × 3 windows over 64 channels: memory holds each element once, and a product of as many rows reads it nine times.
    const product = { rows: 1e6, inputs: 576, outputs: 8, groups: 1, arithmetic: 'half', times: 1 } as const;
    const read = productSeconds({ ...product, reads: 64e6 }, device, CONSTANTS);
    assert.ok(productSeconds(product, device, CONSTANTS) > 5 * read);
    const wide = { ...product, outputs: 512, arithmetic: 'tf32', reads: 64e6 } as const;
    assert.ok(
      productSeconds(wide, device, CONSTANTS) <
        productSeconds({ ...wide, arithmetic: 'fp32' }, device, CONSTANTS),
    );
  });

  it('has constants within the bounds that reasons set', () => {
    for (const name of Object.keys(PRIORS) as ConstantName[]) {
      const { least, most } = PRIORS[name];
      assert.ok(CONSTANTS[name] >= least && CONSTANTS[name] <= most, name);
    }
  });
});
