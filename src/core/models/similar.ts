import type { ModelCatalog } from './catalog';
import type { SimilarModel } from './model';
import { countInName } from './supposed';

/** Within this factor, two models have a similar size. */
const LIKE = 1.35;

/**
 * Every catalog model with a known size: first those of the size in the name, then the others; within each group,
 * similar names first, then the nearest size.
 */
export function similarModels(catalog: ModelCatalog, name: string): readonly SimilarModel[] {
  const wanted = countInName(name);
  const words = wordsOf(name);
  const away = (parameters: number): number =>
    wanted === null ? 0 : Math.abs(Math.log(parameters / wanted));
  const all = catalog.ids().flatMap(id => {
    const facts = catalog.find(id);
    const parameters = facts?.parameters?.total ?? facts?.publishedTotal ?? null;
    if (!facts || parameters === null || facts.described) return [];
    const isOfSize = wanted !== null && away(parameters) <= Math.log(LIKE);
    const shared = wordsOf(id).filter(word => words.includes(word)).length;
    return [{ model: { id, kind: facts.kind, parameters, isOfSize }, shared, away: away(parameters) }];
  });
  // Most unknown models are fine-tuned language models.
  const rare = ({ kind }: SimilarModel): number => (kind === 'decoder' ? 0 : 1);
  const isOther = (one: (typeof all)[number]): number => (one.model.isOfSize ? 0 : 1);
  return all
    .toSorted(
      (a, b) =>
        isOther(a) - isOther(b) || b.shared - a.shared || rare(a.model) - rare(b.model) || a.away - b.away,
    )
    .map(({ model }) => model);
}

/** The family in a name: `Qwen2.5-7B-Instruct` is qwen. */
const wordsOf = (name: string): readonly string[] => [
  ...new Set(
    name
      .toLowerCase()
      .match(/[a-z]{3,}/g)
      ?.filter(word => !COMMON.has(word)) ?? [],
  ),
];

const COMMON: ReadonlySet<string> = new Set(['instruct', 'chat', 'base', 'the', 'model', 'hf', 'it', 'meta']);
