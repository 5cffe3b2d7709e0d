import type { Leaf } from './leaves';

/** A condition on a leaf. */
export type Test = (leaf: Leaf) => boolean;

export const isNamed =
  (pattern: RegExp, ...sections: readonly RegExp[]): Test =>
  leaf =>
    pattern.test(leaf.name) &&
    (sections.length === 0 || sections.some(section => leaf.sections.some(name => section.test(name))));

/** True if the nearest section has this name. */
export const isNamedIn =
  (section: RegExp, pattern: RegExp): Test =>
  leaf =>
    pattern.test(leaf.name) && section.test(leaf.sections[0] ?? '');

/** True for a positive integer, as text or as a number. */
export const isCount: Test = ({ value }) => {
  const text =
    typeof value === 'number' || typeof value === 'string' ? String(value).replaceAll('_', '') : '';
  return /^[1-9]\d*$/.test(text);
};

/** True for a count, or none of them: `num_workers: 0`. */
export const isAmount: Test = leaf => leaf.value === 0 || isCount(leaf);

/** True for a list of positive integers: `image_size: [256, 256]`. */
export const isCounts: Test = ({ node }) =>
  node.kind === 'sequence' &&
  node.items.length > 0 &&
  node.items.every(item => item.kind === 'scalar' && typeof item.value === 'number' && item.value > 0);

export const isFlag: Test = ({ value }) => typeof value === 'boolean';
export const isTrue: Test = ({ value }) => value === true;
export const isWord: Test = ({ value }) => typeof value === 'string' && value !== '' && value !== 'None';

/** Finds leaves that state something, and only if all of them agree. */
export class Finder {
  constructor(private readonly leaves: readonly Leaf[]) {}

  all(...tests: readonly Test[]): readonly Leaf[] {
    return this.leaves.filter(leaf => tests.every(test => test(leaf)));
  }

  has(...tests: readonly Test[]): boolean {
    return this.leaves.some(leaf => tests.every(test => test(leaf)));
  }

  /** The training leaf, if nothing contradicts it; 'several' if leaves disagree. */
  one(...tests: readonly Test[]): Leaf | 'several' | null {
    const [first, ...others] = this.all(isTraining, ...tests);
    if (first === undefined) return null;
    return others.every(({ value }) => value === first.value) ? first : 'several';
  }

  /** The same for the first of these names that occurs. */
  firstOf(patterns: readonly RegExp[], ...tests: readonly Test[]): Leaf | 'several' | null {
    for (const pattern of patterns) {
      const found = this.one(isNamed(pattern), ...tests);
      if (found !== null) return found;
    }
    return null;
  }
}

const isTraining: Test = ({ place }) => place === 'training';

/** The leaf, if there is exactly one. */
export const only = (found: Leaf | 'several' | null): Leaf | null => (found === 'several' ? null : found);
