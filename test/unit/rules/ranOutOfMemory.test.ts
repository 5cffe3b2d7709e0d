import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { analyze } from '../../../src/core/analyse/analyse';
import { explainOom } from '../../../src/core/output/oom/explain';
import type { OomReport } from '../../../src/core/output/oom/report';
import { running } from '../dialects/support';
import { axolotl, target, worldWithModels } from '../core/support';

const explained = (text: string): OomReport => {
  const report = explainOom(text);
  assert.ok(report);
  return report;
};

const inTheLoss = explained(readFileSync('test/fixtures/jobs/oom-logits.log', 'utf8'));

async function failed(report: OomReport, changes: Parameters<typeof axolotl>[0] = {}): Promise<RunAnalysis> {
  const text = axolotl({ adapter: 'qlora', load_in_4bit: true, micro_batch_size: 2, ...changes });
  const options = { target: target('RTX 4090'), severities: {}, failures: [{ run: '', report }] };
  const { runs } = await analyze('a.yaml', text, worldWithModels({ 'a.yaml': text }), options, running);
  assert.equal(runs.length, 1);
  return runs[0]!;
}

const findingOf = ({ findings }: RunAnalysis) => {
  const found = findings.find(({ rule }) => rule === 'ran-out-of-memory');
  assert.ok(found);
  return found;
};

describe('a run that ran out of memory', () => {
  it('is told at the key that decides the term that broke, with the amounts', async () => {
    const { rule, path, message, severity } = findingOf(await failed(inTheLoss));
    assert.deepEqual(
      { rule, path, severity },
      { rule: 'ran-out-of-memory', path: 'micro_batch_size', severity: 'error' },
    );
    assert.match(message, /in the loss \(logits and loss\): 2\.0 GB requested, 1\.2 GB of 23\.6 GB free/);
  });

  it('gets fixes that fit by what it has shown, where the estimate alone sees nothing to mend', async () => {
    const run = await failed(inTheLoss);
    const { remedies } = findingOf(run);
    const [first] = remedies;
    assert.ok(first && run.estimate);
    const need = run.estimate.devices[0]?.device.expected ?? NaN;
    const shown = 24.38 * 2 ** 30;
    assert.ok(need < shown, 'the estimate is below what the run has shown');
    // The estimate must shrink by the share by which the run exceeded the card.
    assert.ok(Math.abs(first.savedBytes ?? 0) >= need * (1 - 23.64 / 24.38) - 2 ** 20, first.effect);
  });

  it('is silent where another run of the file failed', async () => {
    const text = axolotl();
    const options = {
      target: target('RTX 4090'),
      severities: {},
      failures: [{ run: 'another', report: inTheLoss }],
    };
    const { runs } = await analyze('a.yaml', text, worldWithModels({ 'a.yaml': text }), options, running);
    assert.ok(runs[0]?.findings.every(({ rule }) => rule !== 'ran-out-of-memory'));
  });

  it('tells the machine’s memory from the GPU’s: fewer workers, no smaller batch', async () => {
    const killed = explained(
      'slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch. Some of the step tasks have been OOM Killed.',
    );
    const { path, message, remedies } = findingOf(await failed(killed, { dataloader_num_workers: 8 }));
    assert.equal(path, 'dataloader_num_workers');
    assert.match(message, /for RAM, not for GPU memory/);
    assert.ok(
      remedies.every(({ title }) => title.includes('workers')),
      remedies.map(({ title }) => title).join(),
    );
  });

  it('says of pieces and of neighbours what they are', async () => {
    const pieces = { ...inTheLoss, kind: 'gpu-fragmentation' } as const;
    assert.ok(findingOf(await failed(pieces)).message.includes('fragmented'));
    const crowded = { ...inTheLoss, kind: 'gpu-neighbour' } as const;
    assert.ok(findingOf(await failed(crowded)).message.includes('Another process uses memory'));
  });
});
