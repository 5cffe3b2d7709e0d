import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { analyze } from '../../../src/core/analyse/analyse';
import { judgedByLeast } from '../../../src/core/analyse/least';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { runChanges } from '../../../src/core/plan/runChanges';
import type { RunChange } from '../../../src/core/plan/runChanges';
import { changesAsJson, changesMarkdown, changesSummary } from '../../../src/core/render/changes';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import { running } from '../dialects/support';
import { axolotl, judge, target, worldWithModels } from '../core/support';

/** The changes between two texts of a file, against a GPU. Null: the file does not exist. */
async function changes(
  before: string | null,
  after: string | null,
  { gpu = 'RTX 4090', file = 'config.yaml' } = {},
): Promise<readonly RunChange[]> {
  const runs = async (text: string | null) =>
    new Map(text === null ? [] : [[file, (await judge({ [file]: text }, gpu)).runs]]);
  return runChanges(await runs(before), await runs(after));
}

const recipe = (name: string, side: 'before' | 'after'): string =>
  readFileSync(`test/fixtures/changes/${name}/${side}/recipe.yaml`, 'utf8');

describe('changes between two revisions', () => {
  it('are none for the same text, another comment or a value that needs no memory', async () => {
    assert.deepEqual(await changes(axolotl(), axolotl()), []);
    assert.deepEqual(await changes(axolotl(), `# comment\n${axolotl()}`), []);
    assert.deepEqual(await changes(axolotl(), axolotl({ learning_rate: 0.5 })), []);
    assert.equal(changesMarkdown([]), '');
  });

  it('name the values that caused them, and what became worse', async () => {
    const [change, ...others] = await changes(axolotl(), axolotl({ micro_batch_size: 64 }), {
      gpu: 'H100 80GB',
    });
    assert.deepEqual(others, []);
    assert.equal(change?.after?.verdict, 'exceeds');
    assert.ok(change.values.some(({ name, after }) => name === 'microBatchSize' && after.value === 64));
    assert.equal(changesSummary([change]), '1 run changed: 1 does not fit now.');
    const text = changesMarkdown([change]);
    assert.match(text, /^<!-- headroom-diff -->\n/);
    assert.match(
      text,
      /\| ❌ \| `config\.yaml` \| .* GB → .* GB \| tight .* → does not fit .*micro-batch size/,
    );
  });

  it('say what time and cost change to', async () => {
    const text = async (before: string, after: string): Promise<string> =>
      changesMarkdown(await changes(before, after, { gpu: 'H100 80GB' }));
    const steps = { max_steps: 500 };
    const longer = await text(axolotl(steps), axolotl({ max_steps: 1000 }));
    assert.match(longer, /Time \| Cost/);
    const [, was = '', is = ''] =
      /\| ([\d.]+ \w+) → ([\d.]+ \w+) for 500 steps → 1,000 steps \|/.exec(longer) ?? [];
    assert.ok(was !== '' && is !== was, longer);
    assert.match(longer, /\$[\d.]+ → \\\$[\d.]+ \| max steps 500 → 1000/);
    // Steps of another batch, without an end: per token only.
    const another = await text(axolotl(), axolotl({ micro_batch_size: 4, gradient_checkpointing: false }));
    assert.match(another, /per token/);
    assert.doesNotMatch(another, /Cost/);
    const { changes: all } = changesAsJson(
      await changes(axolotl(steps), axolotl({ max_steps: 1000 }), { gpu: 'H100 80GB' }),
    ) as unknown as {
      readonly changes: readonly Readonly<
        Record<'before' | 'after', { readonly steps: number; readonly hours: { readonly expected: number } }>
      >[];
    };
    const [only] = all;
    assert.deepEqual([only?.before.steps, only?.after.steps], [500, 1000]);
    const ratio = (only?.after.hours.expected ?? 0) / (only?.before.hours.expected ?? 1);
    assert.ok(Math.abs(ratio - 2) < 1e-4, String(ratio));
  });

  it('say which runs are new or gone', async () => {
    const added = await changes(null, axolotl());
    assert.deepEqual([added[0]?.before, added.length], [null, 1]);
    assert.match(changesMarkdown(added), /the run is added/);
    assert.match(changesMarkdown(await changes(axolotl(), null)), /the run is removed/);
  });

  it('tell a run that nobody can estimate from one that fits', async () => {
    const [change] = await changes(axolotl(), axolotl({ base_model: 'nobody/knows-it' }));
    assert.equal(change?.after?.verdict, 'unknown');
    const { changes: all } = changesAsJson([change]) as unknown as {
      readonly changes: readonly { readonly worse: boolean; readonly after: { readonly bytes: null } }[];
    };
    assert.deepEqual([all[0]?.worse, all[0]?.after.bytes], [false, null]);
  });

  it('show names and values of a stranger as text', async () => {
    const hostile = 'a|b`](http://x) <img src=x>@all.yaml';
    const model = '![x](https://evil/y.png) | <script>';
    const text = changesMarkdown(
      await changes(axolotl(), axolotl({ base_model: JSON.stringify(model) }), { file: hostile }),
    );
    const rows = text.split('\n').filter(line => line.startsWith('|'));
    assert.equal(rows.length, 3);
    assert.doesNotMatch(text, /(?<!\\)!\[|(?<!`[^`]*)<img|(?<!\\)<script/);
  });

  it('follow fixes of real recipes', async () => {
    const gpu = '8x H100 80GB';
    const fused = await changes(recipe('fused-loss', 'before'), recipe('fused-loss', 'after'), { gpu });
    assert.deepEqual(
      fused.map(({ before, after }) => [before?.verdict, after?.verdict]),
      [['tight', 'fits']],
    );
    const recomputed = await changes(recipe('checkpointing', 'before'), recipe('checkpointing', 'after'), {
      gpu,
    });
    assert.deepEqual(
      recomputed.map(({ before, after }) => [before?.verdict, after?.verdict]),
      [['exceeds', 'fits']],
    );
  });

  it('follow a fix that only asks for more nodes', async () => {
    // The catalog has the model's predecessor of the same sizes.
    const known = (side: 'before' | 'after'): string =>
      recipe('more-nodes', side).replaceAll('zai-org/GLM-5.2', 'zai-org/GLM-5');
    const sized = await changes(known('before'), known('after'), { gpu: '8x H100 80GB' });
    assert.deepEqual(
      sized.map(({ before, after }) => [before?.verdict, after?.verdict]),
      [['unknown', 'tight']],
    );
    // One node has fewer ranks than share the experts: that run can't start at all.
    assert.match(sized[0]?.before?.missing.join() ?? '', /64 expert-parallel ranks, of which there are 2/);
    assert.ok(sized[0]?.values.some(({ name, after }) => name === 'nodes' && after.value === 64));
  });

  it('follow a fix that moves a run to larger GPUs', async () => {
    const config = readFileSync('test/fixtures/changes/other-cluster/config.json', 'utf8');
    const judgedOn = async (gpu: string, side: 'before' | 'after'): Promise<RunAnalysis> => {
      const reading = modelFromConfigJson('moonshotai/Kimi-K3', config, 'config.json');
      assert.ok(reading.ok);
      const found = { model: reading.model, why: null, dependencies: [] };
      const world = { ...worldWithModels({}), models: { find: () => Promise.resolve(found) } };
      const text = recipe('other-cluster', side);
      const { runs } = await analyze(
        'k3.yaml',
        text,
        world,
        { target: target(gpu), severities: {} },
        running,
      );
      assert.equal(runs.length, 1);
      return judgedByLeast(runs[0]!, world);
    };
    // Rows of any length are too much for the cluster that jobs get without a tag, with 8 GPUs of 80 GB a node.
    const before = await judgedOn('H100 80GB', 'before');
    assert.equal(before.verdict, 'exceeds');
    const after = await judgedOn('GB200', 'after');
    assert.notEqual(after.verdict, 'exceeds');
    const { device, usableBytes } = after.estimate!.devices[0]!;
    assert.ok(device.expected < usableBytes!, `${device.expected} of ${usableBytes}`);
    // Twice the nodes with half the GPUs each are the same number of GPUs: memory stays.
    assert.deepEqual(await changes(recipe('other-cluster', 'before'), recipe('other-cluster', 'after')), []);
  });
});
