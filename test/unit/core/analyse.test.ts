import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { running } from '../dialects/support';
import { axolotl, judge, judged, worldWithModels } from './support';

describe('analyse', () => {
  it('answers from text to remedies', async () => {
    const run = await judged(axolotl());
    assert.equal(run.verdict, 'exceeds');
    const finding = run.findings.find(({ rule }) => rule === 'does-not-fit');
    assert.ok(finding);
    assert.equal(finding.path, 'micro_batch_size');
    assert.equal(finding.line, 8);
    assert.ok(finding.remedies.length > 0);
    assert.ok(finding.remedies.every(remedy => remedy.edits.length > 0));
  });

  it('gives the same answer twice', async () => {
    const [one, two] = [await judge({ 'a.yaml': axolotl() }), await judge({ 'a.yaml': axolotl() })];
    assert.deepEqual(JSON.stringify(one.runs[0]?.estimate), JSON.stringify(two.runs[0]?.estimate));
  });

  it('says what is missing: the GPU', async () => {
    const run = await judged(axolotl(), null);
    assert.equal(run.verdict, 'unknown');
    assert.deepEqual(run.missing, ['a GPU to compare with']);
    assert.ok(run.estimate);
  });

  it('says what is missing: the model', async () => {
    const run = await judged(axolotl({ base_model: 'nobody/knows-this' }));
    assert.equal(run.estimate, null);
    assert.match(run.missing.join(), /nobody\/knows-this/);
  });

  it('is silent on files that are not configs', async () => {
    const { dialect, runs, findings } = await judge({ 'a.yaml': 'services:\n  web:\n    image: nginx\n' });
    assert.deepEqual({ dialect, runs, findings }, { dialect: null, runs: [], findings: [] });
  });

  it('reads a part of a run opened alone without judging it', async () => {
    const { dialect, runs } = await judge({
      'zero.json': '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4}',
    });
    assert.equal(dialect, 'deepspeed');
    assert.equal(runs[0]?.judged, false);
  });

  it('stops between runs when it is given up', async () => {
    const text = `${axolotl()}---\n${axolotl()}`;
    const options = { target: null, severities: {} };
    const { runs } = await analyze('a.yaml', text, worldWithModels({}), options, { aborted: true });
    assert.equal(runs.length, 0);
    const all = await analyze('a.yaml', text, worldWithModels({}), options, running);
    assert.deepEqual(
      all.runs.map(run => run.run.name),
      ['document 1', 'document 2'],
    );
  });
});

describe('findings about the file', () => {
  const rules = async (text: string): Promise<string[]> =>
    (await judge({ 'a.yaml': text })).findings.map(({ rule, line }) => `${rule}:${line}`);

  it('tells broken YAML and still answers', async () => {
    const analysis = await judge({ 'a.yaml': `${axolotl()}oops: [1,\n` });
    assert.ok(analysis.findings.some(({ rule }) => rule === 'yaml-syntax'));
    assert.ok(analysis.runs[0]?.estimate);
  });

  it('tells a repeated key', async () => {
    assert.deepEqual(await rules(`micro_batch_size: 1\n${axolotl()}`), ['yaml-duplicate-key:1']);
  });

  it('tells a value that cannot be', async () => {
    assert.deepEqual(await rules(axolotl({ micro_batch_size: -1 })), ['unreadable-value:8']);
    assert.deepEqual(await rules(axolotl({ micro_batch_size: '.nan' })), ['unreadable-value:8']);
  });

  it('tells a named file that is gone', async () => {
    assert.deepEqual(await rules(axolotl({ deepspeed: 'ds/own.json' })), ['missing-file:15']);
  });

  it('tells once that a file is beyond all limits', async () => {
    const deep = `base_model: x\nsequence_len: 1\nmicro_batch_size: 1\ndeep: ${'['.repeat(100)}${']'.repeat(100)}\n`;
    assert.deepEqual(await rules(deep), ['file-too-deep:1']);
  });

  it('keeps quiet when told to', async () => {
    const options = { target: null, severities: { 'unreadable-value': 'off' } as const };
    const text = axolotl({ micro_batch_size: -1 });
    const { findings } = await analyze('a.yaml', text, worldWithModels({}), options, running);
    assert.deepEqual(findings, []);
  });
});
