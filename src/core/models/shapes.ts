import type { ModelFacts, NormKind, ParameterCounts } from './model';

/** Elements of a linear layer's weight and bias. */
export function linear(inputs: number, outputs: number, bias: boolean): number {
  return inputs * outputs + (bias ? outputs : 0);
}

/** Elements of a norm over `size` features. */
export function norm(size: number, kind: NormKind): number {
  return size * { rmsnorm: 1, 'layernorm-no-bias': 1, layernorm: 2, none: 0 }[kind];
}

/** Elements of an MLP: one or two projections up, one down. */
export function mlp(hidden: number, inner: number, gated: boolean, bias: boolean): number {
  return (gated ? 2 : 1) * linear(hidden, inner, bias) + linear(inner, hidden, bias);
}

/** A number of `extra`; 0 if absent. */
export function extraNumber(model: ModelFacts, name: string): number {
  const value = model.extra[name];
  return typeof value === 'number' ? value : 0;
}

/** A flag of `extra`, with a default. */
export function extraFlag(model: ModelFacts, name: string, absent = false): boolean {
  const value = model.extra[name];
  return typeof value === 'boolean' ? value : absent;
}

/** Counts with their total; omitted kinds are 0. */
export function counts(parts: Partial<Omit<ParameterCounts, 'total'>>): ParameterCounts {
  const all = { embedding: 0, attention: 0, mlp: 0, norm: 0, head: 0, other: 0, ...parts };
  return { total: Object.values(all).reduce((sum, part) => sum + part, 0), ...all };
}
