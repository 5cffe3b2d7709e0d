import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { worldWithModels } from '../unit/core/support';
import { analyse } from '../../src/core/analyse';
import { planDryRun } from '../../src/profile/profileRun';
import { peakOf } from '../../src/profile/dryRun';
import { cacheFolder, NEVER, runDry } from './python';
import type { RunAnalysis } from '../../src/core/analysis';

const FOLDER = 'test/fixtures/profile';

async function runIn(name: string, change = (text: string) => text): Promise<RunAnalysis> {
  const text = change(readFileSync(`${FOLDER}/${name}`, 'utf8'));
  const options = { target: null, severities: {} };
  const analysis = await analyse(name, text, worldWithModels({ [name]: text }), options, NEVER);
  const [run] = analysis.runs;
  assert.ok(run);
  return run;
}

const plan = (run: RunAnalysis): ReturnType<typeof planDryRun> =>
  planDryRun(run, worldWithModels({}), null, { cacheFolder, layers: 'auto' });

describe('dry runs of configs', () => {
  for (const [name, what] of [
    ['llamafactory-lora.yaml', 'LoRA over all linear layers of an 8B model'],
    ['axolotl-qlora.yaml', 'QLoRA with norms in fp32'],
    ['trl-full.yaml', 'a small model, trained in full'],
  ] as const) {
    it(`${name}: ${what}, from YAML to a peak that is the tape’s within 1 %`, async () => {
      const run = await runIn(name);
      const planned = await plan(run);
      assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
      const { bytes } = peakOf(await runDry(planned.request));
      const device = run.estimate?.devices[0];
      assert.ok(device);
      const workspace = device.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
      assert.ok(Math.abs((bytes + workspace) / device.allocated.expected - 1) < 0.01, `${bytes}`);
    });
  }

  it('go on from two, three and four layers to all of them as running all does', async () => {
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

  it('leave fused kernels to what is computed, and say so', async () => {
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
    // Two scales of 4 bytes for 256 elements are all that torch has of large ones.
    assert.ok(Math.abs(states / (result.trained / 32) - 1) < 0.05, `${states}`);
  });

  it('say what they cannot follow', async () => {
    const planned = await plan(
      await runIn('axolotl-kernels.yaml', text =>
        text.replace('load_in_4bit: true', 'load_in_8bit: true').replace('qlora', 'lora'),
      ),
    );
    assert.ok(!planned.ok);
    assert.deepEqual(planned.why, ['weights in int8 need kernels that run on a GPU only']);
  });
});
