import type { ModelFacts } from '../models/model';

/** A number of the model's config; `otherwise` is the default of its config class. */
export function stated({ extra }: ModelFacts, name: string, otherwise: number): number {
  const value = extra[name];
  return typeof value === 'number' ? value : otherwise;
}

/** A list of numbers of the model's config; empty by default. */
export function numbers({ extra }: ModelFacts, name: string): readonly number[] {
  const value = extra[name];
  return Array.isArray(value) ? value.filter(each => typeof each === 'number') : [];
}

/** A flag of the model's config; off by default. */
export function flag({ extra }: ModelFacts, name: string): boolean {
  return extra[name] === true;
}

/** A table of numbers of the model's config, row by row. */
export function rows({ extra }: ModelFacts, name: string): readonly (readonly number[])[] {
  const value = extra[name];
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.flatMap(row => (Array.isArray(row) ? [row.filter(each => typeof each === 'number')] : []));
}
