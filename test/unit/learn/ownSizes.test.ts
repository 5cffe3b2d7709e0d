import assert from 'node:assert/strict';
import { featuresOf, isSameRun } from '../../../src/core/learn/features';
import { readConfig } from '../../../src/core/reading/read';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { Definitions } from '../../../src/world/definitions';
import { running, worldOf } from '../dialects/support';

const DIALECT = `id: ours
recognise: {strong: [data.batch, model.*]}
quantities: {microBatchSize: {keys: data.batch}}
`;

async function runOf(text: string): Promise<RunSpec> {
  const base = worldOf({ '/w/a.yaml': text, '/w/.headroom/dialects/ours.yaml': DIALECT });
  const world = { ...base, definitions: new Definitions(base.files) };
  const { runs } = await readConfig('/w/a.yaml', text, world, running);
  return runs[0] ?? assert.fail('no run');
}

const CONFIG = `data: {batch: 8, path: data/a}
model: {encoder: {d_model: 64, layers: 2}, widths: [16, 32], dropout: 0.1}
output_dir: out/a
lr: 0.001
`;

describe('measurements of models that no dialect reads', () => {
  const isSame = async (from: string, to: string): Promise<boolean> =>
    isSameRun(featuresOf(await runOf(CONFIG)), featuresOf(await runOf(CONFIG.replace(from, to))));

  it('count for configs that differ in nothing that takes memory', async () => {
    for (const [from, to] of [
      ['0.001', '0.01'],
      ['out/a', 'out/b'],
      ['data/a', 'data/b'],
      ['0.1', '0.2'],
    ] as const) {
      assert.ok(await isSame(from, to), `${from} → ${to}`);
    }
  });

  it('do not count for configs with another size of the model, in whatever words', async () => {
    for (const [from, to] of [
      ['64', '128'],
      ['layers: 2', 'layers: 6'],
      ['[16, 32]', '[16, 64]'],
    ] as const) {
      assert.ok(!(await isSame(from, to)), `${from} → ${to}`);
    }
  });

  it('do not count where another task is trained', async () => {
    const run = await runOf(CONFIG);
    const of = (value: string): ReturnType<typeof featuresOf> =>
      featuresOf({ ...run, quantities: { ...run.quantities, task: { ...run.quantities.task, value } } });
    assert.ok(isSameRun(of('sft'), of('pretrain')));
    for (const task of ['grpo', 'gkd', 'kto']) assert.ok(!isSameRun(of('sft'), of(task)), task);
    assert.ok(!isSameRun(of('grpo'), of('gkd')));
  });

  it('are told apart after a change, too', async () => {
    assert.match(
      (await runOf(CONFIG)).ownSizes ?? '',
      /^model\.encoder\.d_model=64, model\.encoder\.layers=2/,
    );
  });
});
