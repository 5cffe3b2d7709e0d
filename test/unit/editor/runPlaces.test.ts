import assert from 'node:assert/strict';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { neediest, statedIn } from '../../../src/editor/findings';
import { analyzed, needing } from './runs';

const CONFIG = 'base_model: org/model\nadapter: qlora\nmicro_batch_size: 2\nsequence_len: 512\n';

describe('places of a run', () => {
  let runs: readonly RunAnalysis[];
  let run: RunAnalysis;

  before(async () => {
    const { analysis } = await analyzed('/ws/a.yml', { '/ws/a.yml': CONFIG });
    runs = analysis.runs;
    const [first] = runs;
    assert.ok(first);
    run = first;
  });

  it('are the keys that a file states, not the defaults', () => {
    const stated = statedIn('/ws/a.yml', runs);
    const micro = stated.find(({ name }) => name === 'microBatchSize');
    assert.equal(micro && CONFIG.slice(micro.at.valueSpan.start, micro.at.valueSpan.end), '2');
    assert.equal(
      stated.some(({ name }) => name === 'nodes'),
      false,
    );
    assert.deepEqual(statedIn('/ws/other.yml', runs), []);
  });

  it('lead to the run that needs most', () => {
    const [small, large, unknown] = [needing(run, 1), needing(run, 2), needing(run, null)];
    assert.equal(neediest([small, large, unknown]), large);
    assert.equal(neediest([unknown]), unknown);
    assert.equal(neediest([]), null);
  });

  it('prefer the first of equals', () => {
    const [a, b] = [needing(run, 2), needing(run, 2)];
    assert.equal(neediest([a, b]), a);
  });
});
