import type { ModelFacts } from '../models/model';

/** A number of the model's config; `otherwise`, the default of its config class, where the config leaves it out. */
export function stated({ extra }: ModelFacts, name: string, otherwise: number): number {
  const value = extra[name];
  return typeof value === 'number' ? value : otherwise;
}
