import type { ModelCatalog } from './catalog';
import type { SimilarModel } from './model';
import { countInName } from './supposed';

/** Within this factor two models are of like size. */
const LIKE = 1.35;

/**
 * Every model of the catalog of which the size is known: first those of the size in the name, then the others, both with
 * what is called alike before the rest, and the nearest in size first.
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
  // Most models that nobody else knows are somebody's fine-tuned language model.
  const rare = ({ kind }: SimilarModel): number => (kind === 'decoder' ? 0 : 1);
  const isOther = (one: (typeof all)[number]): number => (one.model.isOfSize ? 0 : 1);
  return all
    .toSorted(
      (a, b) =>
        isOther(a) - isOther(b) || b.shared - a.shared || rare(a.model) - rare(b.model) || a.away - b.away,
    )
    .map(({ model }) => model);
}

/** What a family is called: `Qwen2.5-7B-Instruct` is qwen. */
const wordsOf = (name: string): readonly string[] => [
  ...new Set(
    name
      .toLowerCase()
      .match(/[a-z]{3,}/g)
      ?.filter(word => !COMMON.has(word)) ?? [],
  ),
];

const COMMON: ReadonlySet<string> = new Set(['instruct', 'chat', 'base', 'the', 'model', 'hf', 'it', 'meta']);
