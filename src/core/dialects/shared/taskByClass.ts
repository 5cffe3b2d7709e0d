import type { Quantity } from '../../spec/quantity';
import type { RunReader } from '../engine/runReader';
import table from './taskByClass.json';

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
