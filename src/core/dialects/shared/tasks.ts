import type { Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';
import table from './taskByClass.json';
import type { Quantity } from '../../spec/quantity';
import type { Head } from '../../spec/values';
import { ownOf } from '../../yaml/tables';

const PATTERNS = table.patterns.map(([pattern = '', task = '']) => ({ pattern: new RegExp(pattern), task }));

/** The task of a model's or its data's class, by the first of these keys that tells. */
export function taskByClass(run: RunReader, keys: readonly string[]): Quantity<string> {
  for (const key of keys) {
    const value = run.has(key) ? run.value(key) : null;
    const name = typeof value === 'string' ? value : null;
    const known = name === null ? undefined : PATTERNS.find(({ pattern }) => pattern.test(name));
    if (known) return run.derived(known.task, [key], `${key} is ${name}`);
  }
  return run.unknown('What is trained for is said by the classes of the project’s own code.');
}

/** Tasks whose step runs a chosen and a rejected sequence per sample of the micro batch. */
const PAIRED = new Set(['dpo', 'ipo', 'orpo', 'simpo', 'cpo', 'gdpo', 'apo', 'reward']);

/** Sequences that a step encodes per sample. */
export const sequencesPerSample: Rule<number> = run => {
  const task = run.get('task').value;
  if (task === null) return run.unknown('The task is not known.');
  if (task === 'embedding') return run.derived(2, ['task'], `${task}: a text and one that matches it`);
  return PAIRED.has(task)
    ? run.derived(2, ['task'], `${task}: a chosen and a rejected sequence`)
    : run.derived(1, ['task'], `${task}: one sequence`);
};

/** The model's head. */
export const head: Rule<Head> = run => {
  const task = run.get('task').value;
  if (task === null) return run.unknown('The task is not known.');
  const ends = ownOf(HEADS, task) ?? 'causal-lm';
  return run.derived(ends, ['task'], `${task} trains a ${ends} head`);
};

const HEADS: Readonly<Record<string, Head>> = {
  reward: 'sequence-classification',
  sequence_classification: 'sequence-classification',
  embedding: 'base',
  prm: 'token-classification',
};
