import type { Silence } from '../engine/compose';
import { emptyDefinition } from '../defined/definition';
import type { DialectDefinition } from '../defined/definition';
import { batchIn } from './batches';
import type { Batch } from './batches';
import { ofDeepSpeed } from './deepspeedFile';
import { Finder, isAmount, isCount, isCounts, isFlag, isTrue, isWord, isNamed } from './finder';
import { plainName } from './leaves';
import type { Leaf } from './leaves';
import { modelByPlace, modelIn } from './models';
import type { FoundModel } from './models';
import { GENERIC } from './name';
import { otherRows } from './otherRows';
import vetoes from './vetoes.json';
import { words } from './vocabulary';
import { TRAINER } from '../shared/trainerSections';
import type { MapNode } from '../../yaml/node';
import type { Loader } from '../../yaml/scalars';

/** A dialect of rows that were found by name; `strong`: keys that tell it. */
function definitionOf(
  { rows, references }: Pick<DialectDefinition, 'rows' | 'references'>,
  strong: readonly string[],
  { compose, loader = 'pyyaml' }: Whole,
): DialectDefinition {
  return {
    ...emptyDefinition,
    compose,
    loader,
    id: GENERIC,
    title: 'Generic reading',
    signature: { ...emptyDefinition.signature, strong },
    rows,
    references,
  };
}

/** Number of training topics that a file must mention, in addition to a batch and a model. */
const LEAST_GROUPS = 2;

/** How the files of a stranger hang together: what else lies under it, and whether all of that is there. */
export interface Whole {
  readonly compose: DialectDefinition['compose'];
  /** What reads its references to other keys; absent: nothing. */
  readonly loader?: Loader;
  /** Or of what the rest is known to say nothing. */
  readonly isWhole: boolean | Silence;
  /** The name of the program says that it trains: how fast and how long may be its own defaults. */
  readonly trains?: boolean;
  /** Its code computes gradients and steps: it trains, whatever is said of it. */
  readonly hasLoop?: boolean;
  /** A config beside it may say its batch. */
  readonly isHanded?: boolean;
}

/**
 * A reading by vocabulary: the dialect of a document that has no known framework, if its words have their usual meanings.
 * `leaves` are the values of all its files. Null if the file is about something else, or states one thing in two ways.
 */
export function inferFrom(root: MapNode, leaves: readonly Leaf[], whole: Whole): DialectDefinition | null {
  if (isOther(root, leaves, whole)) return null;
  const finder = new Finder(leaves);
  const batch = batchIn(finder, isCertain(whole));
  const model = batch || whole.hasLoop === true ? modelIn(finder) : null;
  if (typeof model === 'string' || !isTraining(finder, model, whole)) return null;
  const strong = [toldBy(batch, model)].filter(key => key !== null);
  if (strong.length === 0 && whole.isHanded !== true) return null;
  const named = model?.row ?? modelByPlace(finder);
  const sizes = batch?.rows ?? {};
  const others = otherRows(finder, silenceOf(whole, named !== null || model !== null), isCounted(sizes));
  const rows = { ...sizes, ...(named && { model: named }), ...others };
  return definitionOf(ofDeepSpeed(finder, rows), strong, whole);
}

/** True if accumulation follows from the batch of a GPU and that of all: not where the one is a share of the other. */
const isCounted = ({ microBatchSize, globalBatchSize }: Batch['rows']): boolean =>
  microBatchSize !== undefined && globalBatchSize !== undefined && microBatchSize.scope !== 'global';

/** True for a file about something else. */
const isOther = (root: MapNode, leaves: readonly Leaf[], { compose }: Whole): boolean =>
  isVetoed(new Set(root.entries.map(({ key }) => key)), compose !== null) ||
  leaves.some(({ sections, name }) => [name, ...sections].some(each => words.vetoesAnywhere.test(each)));

/** The key that tells what is trained: the batch, or else the model. */
const toldBy = (batch: Batch | null, model: FoundModel | null): string | null =>
  batch?.leaf.key ?? model?.row?.keys[0] ?? null;

/** True if it trains, and no unknown file could say how. */
const isCertain = ({ isWhole, trains, hasLoop }: Whole): boolean =>
  hasLoop === true || (trains === true && isWhole !== false);

/** Where a file says nothing of its model, another file says it, and that one may ask for adapters, too. */
function silenceOf({ isWhole, trains, hasLoop }: Whole, tellsModel: boolean): boolean | Silence {
  if (tellsModel || trains === true || hasLoop === true || isWhole !== true) return isWhole;
  return { accumulation: true, checkpointing: true, sharding: true, adapters: false, precision: false };
}

/** A model that is named; one that is described, or none, where more is said of training. */
function isTraining(
  finder: Finder,
  model: FoundModel | null,
  { trains = false, hasLoop = false }: Whole,
): boolean {
  if (hasLoop) return true;
  if (trains && model?.row) return true;
  const groups = groupsIn(finder);
  if (model) return groups >= LEAST_GROUPS && (model.row !== null || hasLearning(finder));
  return isTrainer(finder) || (hasLearning(finder) && (trains || describesHow(finder)));
}

/** Where no model is told: how large its samples are, or how the program works on them. */
const describesHow = (finder: Finder): boolean =>
  [words.image, words.length, words.otherLength, words.accumulation, words.nodes].some(names =>
    finder.has(isNamed(names), isCount),
  ) ||
  finder.has(isNamed(words.workers), isAmount) ||
  finder.has(isNamed(words.image), isCounts) ||
  finder.has(({ name }) => OF_OPTIMIZER.test(name)) ||
  learnsByReward(finder) ||
  [words.bf16, words.fp16, words.amp, words.checkpointing].some(names =>
    finder.has(isNamed(names), isFlag),
  ) ||
  finder.has(isNamed(words.deviceIndex), ({ value }) => /^(?:cuda|gpu)/.test(String(value)));

/** Arguments of a Lightning Trainer, four or more of them in one section. */
function isTrainer(finder: Finder): boolean {
  const counts = new Map<string, number>();
  for (const { sections } of finder.all(({ name }) => TRAINER.has(name))) {
    const section = sections.join('.');
    counts.set(section, (counts.get(section) ?? 0) + 1);
  }
  return [...counts.values()].some(count => count >= LEAST_ARGUMENTS);
}

const LEAST_ARGUMENTS = 4;

const isVetoed = (keys: ReadonlySet<string>, isComposed: boolean): boolean =>
  vetoes.sets.some(
    together =>
      !(isComposed && together[0] === 'defaults') &&
      together.every(key => keys.has(key) || [...keys].some(one => plainName(one) === key)),
  );

/** How fast it learns, and how long or with what: how long may be an argument of the program. */
const hasLearning = (finder: Finder): boolean =>
  finder.has(isNamed(words.learningRate), ({ value }) => isNumeric(value)) &&
  (finder.has(isNamed(words.duration), isCount) || hasOptimizer(finder) || learnsByReward(finder));

const hasOptimizer = (finder: Finder): boolean =>
  finder.has(isNamed(words.optimizer), isOptimizer) ||
  finder.has(isNamed(words.optimizerInSection, words.optimizerSection), isOptimizer);

/** Values that only programs have together which learn by rewards; a table of environments chooses none. */
function learnsByReward(finder: Finder): boolean {
  const found = finder.all(
    ({ name, value, sections }) =>
      OF_REWARDS.test(name) && Number(value) > 0 && !sections.some(section => ENVIRONMENT.test(section)),
  );
  return new Set(found.map(({ name }) => name)).size >= LEAST_OF_REWARDS;
}

/** What Gymnasium calls an environment. */
const ENVIRONMENT = /_v\d+$/;
const OF_REWARDS =
  /^(?:gamma|discount(?:_factor)?|(?:replay_)?(?:buffer|memory)_(?:size|capacity)|eps(?:ilon)?_\w{1,20}|gae_lambda|clip_(?:range|param|ratio|eps(?:ilon)?)|ent(?:ropy)?_coef|tau)$/;
const LEAST_OF_REWARDS = 3;

/** What only training goes through. */
const EPOCHS = /^(?:num(?:ber_of)?_?|n_?|max_)?(?:train(?:ing)?_)?epoche?s?$/;
/** What only an optimizer has. */
const OF_OPTIMIZER = /^(?:weight_?decay|momentum|betas|label_smoothing|warmup_\w{1,12})$/;

/** Number of training topics in a file; the first one is required. */
function groupsIn(finder: Finder): number {
  const learns = finder.has(isNamed(words.learningRate), ({ value }) => isNumeric(value));
  const hasDuration = finder.has(isNamed(words.duration), isCount);
  const optimizer = hasOptimizer(finder);
  const isOnlyTrained =
    optimizer ||
    finder.has(isNamed(words.accumulation), isCount) ||
    finder.has(isNamed(words.rankInSection, words.loraSection), isCount) ||
    finder.has(({ name }) => EPOCHS.test(name), isCount);
  if (!learns && !(hasDuration && isOnlyTrained)) return 0;
  const precise =
    finder.has(isNamed(words.bf16), isFlag) ||
    finder.has(isNamed(words.fp16), isFlag) ||
    finder.has(isNamed(words.amp), isFlag) ||
    finder.has(isNamed(words.precision), isWord) ||
    finder.has(isNamed(words.dtype), isWord);
  const devices = finder.has(isNamed(words.deviceCount)) || finder.has(isNamed(words.deviceIndex), isWord);
  const others = [
    hasDuration,
    optimizer,
    precise,
    devices,
    finder.has(isNamed(words.accumulation), isCount, ({ name }) => !words.noAccumulation.test(name)),
    finder.has(isNamed(words.checkpointing), isFlag),
    finder.has(isNamed(words.rank), isCount) ||
      finder.has(isNamed(words.rankInSection, words.loraSection), isCount),
    finder.has(isNamed(words.fourBits), isTrue),
  ];
  return (learns ? 1 : 0) + others.filter(Boolean).length;
}

const isOptimizer = ({ value }: Leaf): boolean => typeof value === 'string' && words.anOptimizer.test(value);

const isNumeric = (value: Leaf['value']): boolean => Number(value) > 0 && Number(value) < 10;
