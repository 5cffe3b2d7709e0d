import assert from 'node:assert/strict';
import { assertBrief } from '../brief';
import { findingsOf } from './findings';
import type { Surroundings } from './findings';

/** A rule, the key it reports at, a config that triggers it, and the most similar config that does not. */
export interface Case {
  readonly rule: string;
  readonly at: string;
  readonly fires: string;
  readonly silent: string;
  readonly surroundings?: Surroundings;
  /** Other surroundings for the innocent config, if they are what makes it innocent. */
  readonly innocent?: Surroundings;
  /** A pattern that the message must match. */
  readonly says?: RegExp;
}

/** Checks both sides of a case. */
export function checkCase({ rule, at, fires, silent, surroundings, innocent, says }: Case): void {
  it(`${rule} reports ${at}`, async () => {
    const found = (await findingsOf(fires, surroundings)).filter(finding => finding.rule === rule);
    assert.deepEqual(
      found.map(finding => finding.path),
      [at],
    );
    const [first] = found;
    assert.ok(first);
    assertSentence(first.report.message);
    if (says) assert.match(first.report.message, says);
  });

  it(`${rule} is silent on its neighbour`, async () => {
    const found = await findingsOf(silent, innocent ?? surroundings);
    assert.ok(!found.some(finding => finding.rule === rule));
  });
}

/**
 * A message is one or two full sentences: it starts with a capital letter, a key or a number and ends with a
 * period.
 */
export function assertSentence(message: string): void {
  assert.match(message, /^(?:[A-Z`\d]|accelerate |vLLM )/);
  assert.match(message, /[.?]$/);
  assertBrief(message);
}
