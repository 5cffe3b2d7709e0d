import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { worldWithModels } from '../unit/core/support';
import { analyze } from '../../src/core/analyse/analyse';
import { planDryRun } from '../../src/profile/profileRun';
import { peakOf } from '../../src/profile/dryRun';
import { cacheFolder, NEVER, runDry, runDryAlone } from './python';
import type { RunAnalysis } from '../../src/core/rules/analysis';

const FOLDER = 'test/fixtures/profile';

async function runIn(name: string, change = (text: string) => text): Promise<RunAnalysis> {
  const text = change(readFileSync(`${FOLDER}/${name}`, 'utf8'));
  const options = { target: null, severities: {} };
  const analysis = await analyze(name, text, worldWithModels({ [name]: text }), options, NEVER);
  const [run] = analysis.runs;
  assert.ok(run);
  return run;
}

const plan = (run: RunAnalysis): ReturnType<typeof planDryRun> =>
  planDryRun(run, worldWithModels({}), null, { cacheFolder, layers: 'auto' });

const eightBit = (text: string): string =>
  text.replace('load_in_4bit: true', 'load_in_8bit: true').replace('qlora', 'lora');

const withLines =
  (lines: string) =>
  (text: string): string =>
    `${eightBit(text).replace('load_in_8bit: true\n', '')}${lines}`;

const FSDP = 'dp_shard_size: 2\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n';
const ZERO = 'use_ray: true\nray_num_workers: 2\ndeepspeed: deepspeed_configs/zero2.json\n';
const TENSOR = 'dp_shard_size: 1\ntensor_parallel_size: 2\n';
const CONTEXT = 'dp_shard_size: 1\ncontext_parallel_size: 2\n';

describe('dry runs of configs @ci', () => {
  for (const [name, what, count] of [
    ['llamafactory-lora.yaml', 'LoRA over all linear layers of an 8B model', runDry],
    ['axolotl-qlora.yaml', 'QLoRA with norms in fp32', runDry],
    ['trl-full.yaml', 'a small model, trained in full, by a Python of its own', runDryAlone],
  ] as const) {
    it(`${name}: ${what}, from YAML to a peak within 1 % of the tape's`, async () => {
      const run = await runIn(name);
      const planned = await plan(run);
      assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
      const { bytes } = peakOf(await count(planned.request));
      const device = run.estimate?.devices[0];
      assert.ok(device);
      const workspace = device.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
      assert.ok(Math.abs((bytes + workspace) / device.allocated.expected - 1) < 0.01, `${bytes}`);
    });
  }

  it('extrapolate from two, three and four layers to all as running all does', async () => {
    const planned = await plan(await runIn('trl-full.yaml'));
    assert.ok(planned.ok);
    const [few, all] = [
      await runDry({ ...planned.request, layers: 'few' }),
      await runDry({ ...planned.request, layers: 'all' }),
    ];
    assert.deepEqual(few.fromLayers, [2, 3, 4]);
    assert.equal(few.parameters, all.parameters);
    for (const [phase, bytes] of Object.entries(all.phases)) {
      assert.ok(Math.abs((few.phases[phase] ?? 0) / bytes - 1) < 0.0005, phase);
    }
  });

  it('leave fused kernels to the computed estimate, and say so', async () => {
    const run = await runIn(
      'axolotl-kernels.yaml',
      text => `${text}lora_mlp_kernel: true\nlora_qkv_kernel: true\nlora_o_kernel: true\n`,
    );
    const planned = await plan(run);
    assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
    assert.deepEqual(planned.added?.what, [
      'fused projections with adapters',
      'a fused output projection with adapters',
      'a fused MLP with adapters',
    ]);
    const { bytes } = peakOf(await runDry(planned.request), planned.added);
    const [device] = run.estimate?.devices ?? [];
    assert.ok(device);
    const workspace = device.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
    assert.ok(Math.abs((bytes + workspace) / device.allocated.expected - 1) < 0.01, `${bytes}`);
  });

  it('follow paged optimizers, whose states torch does not count', async () => {
    const run = await runIn('trl-full.yaml', text => text.replace('adamw_torch', 'paged_adamw_8bit'));
    const planned = await plan(run);
    assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
    const result = await runDry(planned.request);
    const device = run.estimate?.devices[0];
    assert.ok(device);
    const workspace = device.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
    assert.ok(Math.abs((peakOf(result).bytes + workspace) / device.allocated.expected - 1) < 0.01);
    const states = result.alive['optimizer steady']?.['optimizer states'] ?? 0;
    // For large states, torch has only two scales of 4 bytes per 256 elements.
    assert.ok(Math.abs(states / (result.trained / 32) - 1) < 0.05, `${states}`);
  });

  it('treat data parallelism as a one-GPU run with gradient buckets', async () => {
    const run = await runIn('llamafactory-lora.yaml', text => `${text}ray_num_workers: 4\n`);
    const planned = await plan(run);
    assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
    assert.deepEqual(planned.added?.what, ['gradient buckets for 4 GPUs (DDP)']);
    const alone = await plan(await runIn('llamafactory-lora.yaml'));
    assert.ok(alone.ok);
    assert.deepEqual(planned.request, alone.request);
    const counted = await runDry(planned.request);
    const { bytes, terms } = peakOf(counted, planned.added);
    // Adapters in fp32: a second copy of each gradient.
    assert.equal(terms.communication, counted.trained * 4);
    assert.equal(bytes, peakOf(counted).bytes + counted.trained * 4);
    const device = run.estimate?.devices[0];
    assert.ok(device);
    const workspace = device.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
    assert.ok(Math.abs((bytes + workspace) / device.allocated.expected - 1) < 0.01, `${bytes}`);
  });

  for (const [name, change, why] of [
    ['8-bit weights', eightBit, 'int8 weights need GPU kernels'],
    ['FSDP', withLines(FSDP), 'FSDP needs collectives, which a dry run lacks'],
    ['ZeRO', withLines(ZERO), 'ZeRO stage 2 needs collectives, which a dry run lacks'],
    ['tensor parallelism', withLines(TENSOR), 'tensor parallelism splits its layers into 2 parts'],
    ['context parallelism', withLines(CONTEXT), 'context parallelism splits each sequence across 2 GPUs'],
  ] as const) {
    it(`say what they cannot follow: ${name}`, async () => {
      const planned = await plan(await runIn('axolotl-kernels.yaml', change));
      assert.ok(!planned.ok);
      assert.deepEqual(planned.why, [why]);
    });
  }
});
