import type { ModelFacts } from '../../../models/model';

/** A list of words of a config, which writes them as a list or with bars between them; empty where it has none. */
export function words({ extra }: ModelFacts, name: string): string {
  const stated = extra[name];
  const all = Array.isArray(stated) ? (stated as readonly unknown[]).join('|') : stated;
  return typeof all === 'string' ? all : '';
}

/** Which products of tokens and distances a model adds to its scores: tokens by distances, distances by tokens. */
export function bothWays(model: ModelFacts): { readonly toPositions: boolean; readonly toContents: boolean } {
  const types = words(model, 'pos_att_type');
  return { toPositions: types.includes('c2p'), toContents: types.includes('p2c') };
}
