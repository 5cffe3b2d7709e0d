import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { checkSums } from './sums';
import { fixture } from './support';

/* Sums of real configs are checked with their messages: test/golden/messages.test.ts. */
describe('memory: the sum as people read it', () => {
  const sums = (fixture('simulated') as SimulatedRecord[]).flatMap(record => {
    const { run, model } = fromSimulated(record);
    const result = estimateRun(run, model, null);
    return result.ok ? [{ name: record.id, estimate: result.estimate }] : [];
  });

  it('has formulas without exponents and without noughts, and adds up, for every kind of run', () => {
    assert.ok(sums.length >= 140, `${sums.length} runs are answered`);
    for (const { name, estimate } of sums) checkSums(name, estimate);
  });

  it('says what a fused loss keeps in words: there are no logits to multiply', () => {
    const losses = sums
      .flatMap(({ estimate }) => estimate.devices.flatMap(device => device.terms))
      .filter(({ term }) => term === 'logits and loss');
    assert.ok(losses.some(({ formula }) => formula.includes('a part of the tokens at a time')));
    for (const { formula } of losses) assert.doesNotMatch(formula, /× 0\.0/);
  });
});
