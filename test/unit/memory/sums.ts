import assert from 'node:assert/strict';
import type { Estimate, Term } from '../../../src/core/memory/estimate';
import { quantityNames } from '../../../src/core/spec/names';

/** The sums of an estimate are readable by people, and add up to what the devices show. */
export function checkSums(name: string, { devices }: Estimate): void {
  for (const { terms, device } of devices) {
    for (const term of terms) checkText(name, term);
    const sum = terms.reduce((total, { bytes }) => total + bytes, 0);
    assert.ok(Math.abs(sum - device.expected) < 1, `${name}: ${sum} and ${device.expected}`);
  }
}

function checkText(name: string, { term, bytes, formula, from }: Term): void {
  const where = `${name}, ${term}: ${formula}`;
  assert.ok(bytes > 0, where);
  assert.ok(formula.trim() !== '', where);
  assert.doesNotMatch(formula, /\d[eE][-+]?\d|NaN|Infinity|undefined|null/, where);
  assert.doesNotMatch(formula, /(?<![\d.,])0\.0+(?!\d)|× 0 /, where);
  if (term === 'logits and loss') assert.doesNotMatch(formula, /× 0\.0/, where);
  for (const quantity of from) assert.ok((quantityNames as readonly string[]).includes(quantity), where);
}
