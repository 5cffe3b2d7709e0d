import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RunAnalysis } from '../../src/core/rules/analysis';
import { analyze } from '../../src/core/analyse/analyse';
import { follow } from '../../src/profile/follow';
import { planDryRun } from '../../src/profile/profileRun';
import { withAdded } from '../../src/profile/added';
import { worldWithModels } from '../unit/core/support';
import { cacheFolder, NEVER, runDry } from './python';

type Change = (text: string) => string;

async function runOf(name: string, change: Change): Promise<RunAnalysis> {
  const text = change(readFileSync(`test/fixtures/profile/${name}`, 'utf8'));
  const options = { target: null, severities: {} };
  const analysis = await analyze(name, text, worldWithModels({ [name]: text }), options, NEVER);
  const [run] = analysis.runs;
  assert.ok(run);
  return run;
}

const plan = (run: RunAnalysis): ReturnType<typeof planDryRun> =>
  planDryRun(run, worldWithModels({}), null, { cacheFolder, layers: 'auto' });

const withLines =
  (lines: string): Change =>
  text =>
    `${text}${lines}`;

const ADAPTERS = 'use_peft: true\nlora_r: 16\nlora_dropout: 0.05\nlora_target_modules: all-linear\n';

const pairs =
  (loss: string): Change =>
  text =>
    text.replace('stage: sft', `stage: dpo\npref_loss: ${loss}`).replace('2048', '1024');

const PHASES: Readonly<Record<string, string>> = {
  'first forward': 'forward first',
  'first backward': 'backward first',
  'first optimizer step': 'optimizer first',
  forward: 'forward steady',
  backward: 'backward steady',
  'optimizer step': 'optimizer steady',
};

/** The tape includes adapters in the reference's pass, for which they are switched off. */
const TOLERANCE = 0.006;

/** Compares dry runs of a config with the tape, phase by phase. */
async function assertAgrees(run: RunAnalysis): Promise<void> {
  const planned = await plan(run);
  assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
  const phases = withAdded((await runDry(planned.request)).phases, planned.added);
  const device = run.estimate?.devices[0];
  const workspace = device?.terms.find(({ term }) => term === 'library workspace')?.bytes ?? 0;
  const off = (device?.phases ?? []).flatMap(({ phase, bytes }) => {
    const found = phases[PHASES[phase] ?? ''];
    const computed = bytes - workspace;
    if (found === undefined || Math.abs(found / computed - 1) < TOLERANCE) return [];
    return [`${phase}: ${found} instead of ${computed}`];
  });
  assert.deepEqual(off, []);
  assert.ok(Object.keys(phases).length > 6);
}

describe('dry runs of preference pairs', () => {
  for (const [what, name, change, reference] of [
    ['a frozen copy beside it', 'trl-dpo.yaml', withLines(''), 'copy'],
    ['scores that come with the data', 'trl-dpo.yaml', withLines('precompute_ref_log_probs: true\n'), 'none'],
    ['its adapters switched off', 'trl-dpo.yaml', withLines(ADAPTERS), 'itself'],
    ['LLaMA-Factory’s code', 'llamafactory-lora.yaml', pairs('sigmoid'), 'itself'],
    ['LLaMA-Factory’s ORPO, without a reference', 'llamafactory-lora.yaml', pairs('orpo'), 'none'],
  ] as const) {
    it(`match the tape in each phase: ${what}`, async () => {
      const run = await runOf(name, change);
      const planned = await plan(run);
      assert.ok(planned.ok, planned.ok ? '' : planned.why.join());
      assert.equal(planned.request.preference?.reference, reference);
      await assertAgrees(run);
    });
  }

  it('add the savings of tiled scores if the release of trl has them', async () => {
    const { run, model } = await runOf('trl-dpo.yaml', withLines(ADAPTERS));
    assert.ok(model);
    const tiled = { ...run, framework: { ...run.framework, version: '1.16.0' } };
    const config = { kind: 'transformers', config: {} } as const;
    const followed = follow(tiled, model, config, { cacheFolder, layers: 'auto' });
    assert.ok(followed.ok, followed.ok ? '' : followed.why.join());
    assert.ok(followed.added);
    assert.deepEqual(followed.added.what, ['log-probabilities of logit tiles']);
    assert.equal(followed.request.preference?.code, 'trl');
    assert.ok((followed.added.phases['backward steady']?.bytes ?? 0) < -(2 ** 30));
  });

  it("count a frozen copy's weights as weights, not as trained parameters", async () => {
    const [copied, alone] = [
      await plan(await runOf('trl-dpo.yaml', withLines(''))),
      await plan(await runOf('trl-dpo.yaml', withLines('precompute_ref_log_probs: true\n'))),
    ];
    assert.ok(copied.ok && alone.ok);
    const [two, one] = [await runDry(copied.request), await runDry(alone.request)];
    assert.equal(two.parameters, one.parameters);
    assert.equal(two.trained, one.trained);
    const weights = (result: typeof two): number => result.alive['backward steady']?.['weights'] ?? 0;
    assert.equal(weights(two), 2 * weights(one));
  });

  for (const [what, name, change, why] of [
    ['KTO', 'trl-dpo.yaml', withLines('desirable_weight: 1.0\n'), /its loss \(kto in trl\)/],
    [
      'a reference in another precision',
      'llamafactory-lora.yaml',
      (text: string) => pairs('sigmoid')(text).replace('finetuning_type: lora', 'finetuning_type: full'),
      /the reference model is loaded in a different precision/,
    ],
  ] as const) {
    it(`say what they cannot follow: ${what}`, async () => {
      const planned = await plan(await runOf(name, change));
      assert.ok(!planned.ok);
      assert.match(planned.why.join('; '), why);
    });
  }
});
