import type { Leaf } from './leaves';

/** What a leaf has to be to state something. */
export type Test = (leaf: Leaf) => boolean;

export const isNamed =
  (pattern: RegExp, ...sections: readonly RegExp[]): Test =>
  leaf =>
    pattern.test(leaf.name) &&
    (sections.length === 0 || sections.some(section => leaf.sections.some(name => section.test(name))));

/** In a section of this name that is the nearest one. */
export const isNamedIn =
  (section: RegExp, pattern: RegExp): Test =>
  leaf =>
    pattern.test(leaf.name) && section.test(leaf.sections[0] ?? '');

/** The value is a whole number of one or more, as text or as a number. */
export const isCount: Test = ({ value }) => {
  const text =
    typeof value === 'number' || typeof value === 'string' ? String(value).replaceAll('_', '') : '';
  return /^[1-9]\d*$/.test(text);
};

export const isFlag: Test = ({ value }) => typeof value === 'boolean';
export const isTrue: Test = ({ value }) => value === true;
export const isWord: Test = ({ value }) => typeof value === 'string' && value !== '' && value !== 'None';

/** Finds what speaks of something in a file, and only where all that does says the same. */
export class Finder {
  constructor(private readonly leaves: readonly Leaf[]) {}

  all(...tests: readonly Test[]): readonly Leaf[] {
    return this.leaves.filter(leaf => tests.every(test => test(leaf)));
  }

  has(...tests: readonly Test[]): boolean {
    return this.leaves.some(leaf => tests.every(test => test(leaf)));
  }

  /** Of training, where nothing contradicts it; 'several' where it is said in two ways. */
  one(...tests: readonly Test[]): Leaf | 'several' | null {
    const [first, ...others] = this.all(isTraining, ...tests);
    if (first === undefined) return null;
    return others.every(({ value }) => value === first.value) ? first : 'several';
  }

  /** The same for the first of some names that is there at all. */
  firstOf(patterns: readonly RegExp[], ...tests: readonly Test[]): Leaf | 'several' | null {
    for (const pattern of patterns) {
      const found = this.one(isNamed(pattern), ...tests);
      if (found !== null) return found;
    }
    return null;
  }
}

const isTraining: Test = ({ place }) => place === 'training';

/** A leaf, where there is one and only one. */
export const only = (found: Leaf | 'several' | null): Leaf | null => (found === 'several' ? null : found);
