import { seriesPlaceOf } from '../../models/ladders';
import type { ModelFacts } from '../../models/model';
import { formatCount } from '../../units';
import { changed } from '../../dialects/change';
import { scalarsOf } from '../../spec/scalarKeys';
import type { Change } from '../../spec/change';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import { template } from '../../text/say';
import type { Say } from '../../text/say';

/** Tasks that use a specific pretrained model for what it knows. */
const NOT_TRAINED: ReadonlySet<string> = new Set(['infer', 'embed', 'load']);

/** Number of smaller sizes to try; larger sizes are all tried, because the largest that fits is wanted. */
const MOST_SMALLER = 3;

/** Another model is a larger change than another kind of training; grows with each halving of the parameters. */
const ANOTHER = 8;
const HALVING = 4;

/** The next smaller or larger model of a series that the config only names: B2 instead of B3, 3B instead of 7B. */
export const modelSize: Remedy = {
  id: 'model-size',
  label: template('the model size'),
  changesTask: true,
  sources: [
    'Kaplan et al., arXiv 2001.08361: the loss follows the number of parameters',
    'Tan and Le, arXiv 1905.11946 (EfficientNet B0 to B7); Xie et al., arXiv 2105.15203 (SegFormer B0 to B5)',
  ],
  less: context =>
    others(context, -1).map(other => ({
      changes: other.changes,
      price: {
        time: 1,
        speed: null,
        quality: smallerText(context.say, other),
        trade: ANOTHER + HALVING * Math.log2(1 / other.share),
      },
    })),
  towards: {
    goal: 'largest',
    options: context =>
      others(context, 1).map(({ changes, share }): RemedyOption => {
        // Work per step is linear in the parameters.
        const price = { time: share, speed: context.say('slower: a larger model'), quality: null };
        return { changes, gain: share, price: { ...price, quality: larger(context.say), trade: 1 } };
      }),
  },
};

const larger = (say: Say): string => say("another model of the series: existing checkpoints don't fit it");

const smallerText = (say: Say, { name, counts }: Other): string =>
  counts === null
    ? say("{0}, a smaller model of the series: it learns less, and existing checkpoints don't fit it", name)
    : say(
        "{0}, a smaller model of the series ({1} parameters instead of {2}): it learns less, and existing checkpoints don't fit it",
        name,
        formatCount(counts.then),
        formatCount(counts.now),
      );

interface Other {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Parameters relative to the current model. */
  readonly share: number;
  /** Parameters of both; null: not known. */
  readonly counts: { readonly now: number; readonly then: number } | null;
}

/** Models of the series on one side, nearest first. */
function others(context: RemedyContext, side: 1 | -1): readonly Other[] {
  const { run, model, alternatives } = context;
  const { task, model: named } = run.quantities;
  const series = named.value === null ? null : seriesPlaceOf(named.value);
  const isTrained = task.value !== null && !NOT_TRAINED.has(task.value);
  if (series === null || model === null || !alternatives?.size || !isTrained) return [];
  const { names, place } = series;
  const onSide =
    side < 0 ? names.slice(0, place).toReversed().slice(0, MOST_SMALLER) : names.slice(place + 1);
  return onSide.flatMap((name, i): readonly Other[] => {
    const facts = alternatives.get(name);
    const changes = facts && changesTo(context, name);
    if (!facts || !changes) return [];
    const [now, then] = [parametersOf(model), parametersOf(facts)];
    if (now === null || then === null) {
      return [{ name, changes, share: STEP ** (side * (i + 1)), counts: null }];
    }
    return side * (then - now) > 0 ? [{ name, changes, share: then / now, counts: { now, then } }] : [];
  });
}

/** Typical ratio of neighboring sizes in a series, if they have no counts: the median of the counted ones. */
const STEP = 2.4;

const parametersOf = ({ publishedTotal, parameters }: ModelFacts): number | null =>
  publishedTotal ?? parameters?.total ?? null;

/** The keys that name the model, including the tokenizer; null if the config has none of its own. */
function changesTo({ run }: RemedyContext, to: string): readonly Change[] | null {
  const now = run.quantities.model.value;
  const keys = scalarsOf(run).filter(({ value }) => value === now);
  const decides = keys.some(({ path }) => changed(run, [{ key: path, to }]).quantities.model.value === to);
  return decides ? keys.map(({ path }) => ({ key: path, to })) : null;
}
