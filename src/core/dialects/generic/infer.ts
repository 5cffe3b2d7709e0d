import type { YamlDocument } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { DialectDefinition } from '../defined/definition';
import { definitionOf } from './definitionOf';
import { batchIn } from './batches';
import { Finder, isCount, isFlag, isTrue, isWord, isNamed } from './finder';
import { leavesOf, plainName } from './leaves';
import type { Leaf } from './leaves';
import { modelIn } from './models';
import type { FoundModel } from './models';
import { otherRows } from './otherRows';
import {
  ACCUMULATION,
  AMP,
  BF16,
  CHECKPOINTING,
  DEVICE_COUNT,
  DEVICE_INDEX,
  DURATION,
  DTYPE,
  FOUR_BITS,
  FP16,
  IS_OPTIMIZER,
  LEARNING_RATE,
  LORA_SECTION,
  NO_ACCUMULATION,
  OPTIMIZER,
  OPTIMIZER_IN_SECTION,
  PRECISION,
  RANK,
  RANK_IN_SECTION,
  VETOES,
  VETOES_ANYWHERE,
} from './vocabulary';

/** Points of training that a file has to make, beside a batch and a model. */
const LEAST_GROUPS = 2;

/**
 * A reading by vocabulary: the dialect that a document of nobody’s framework would have, if its words mean what they mean
 * in most people’s configs. Null where the file is about something else, where no batch and model agree, or where the same
 * thing is said in two ways.
 */
export function infer(document: YamlDocument): DialectDefinition | null {
  const root = document.root && resolve(document.root);
  if (root?.kind !== 'map' || isVetoed(new Set(root.entries.map(({ key }) => key)))) return null;
  const leaves = leavesOf(root);
  if (leaves.some(({ sections, name }) => [name, ...sections].some(each => VETOES_ANYWHERE.test(each)))) {
    return null;
  }
  const finder = new Finder(leaves);
  const batch = batchIn(finder);
  const model = batch && modelIn(finder);
  if (!batch || !model || groupsIn(finder) < LEAST_GROUPS) return null;
  if (model.row === null && !hasLearning(finder)) return null;
  return definitionOf({ ...batch.rows, ...modelRow(model), ...otherRows(finder) }, [batch.leaf.key]);
}

const isVetoed = (keys: ReadonlySet<string>): boolean =>
  VETOES.some(together =>
    together.every(key => keys.has(key) || [...keys].some(one => plainName(one) === key)),
  );

const modelRow = ({ row }: FoundModel) => (row ? { model: row } : {});

const hasLearning = (finder: Finder): boolean =>
  finder.has(isNamed(LEARNING_RATE), ({ value }) => isNumeric(value)) &&
  finder.has(isNamed(DURATION), isCount);

/** Things of training that a file speaks of, each counted once; the first has to be among them. */
function groupsIn(finder: Finder): number {
  const learns = finder.has(isNamed(LEARNING_RATE), ({ value }) => isNumeric(value));
  const lasts = finder.has(isNamed(DURATION), isCount);
  const optimizer =
    finder.has(isNamed(OPTIMIZER), isOptimizer) ||
    finder.has(isNamed(OPTIMIZER_IN_SECTION, OPTIMIZER), isOptimizer);
  if (!learns && !(lasts && optimizer)) return 0;
  const precise =
    finder.has(isNamed(BF16), isFlag) ||
    finder.has(isNamed(FP16), isFlag) ||
    finder.has(isNamed(AMP), isFlag) ||
    finder.has(isNamed(PRECISION), isWord) ||
    finder.has(isNamed(DTYPE), isWord);
  const devices = finder.has(isNamed(DEVICE_COUNT)) || finder.has(isNamed(DEVICE_INDEX), isWord);
  const others = [
    lasts,
    optimizer,
    precise,
    devices,
    finder.has(isNamed(ACCUMULATION), isCount, ({ name }) => !NO_ACCUMULATION.test(name)),
    finder.has(isNamed(CHECKPOINTING), isFlag),
    finder.has(isNamed(RANK), isCount) || finder.has(isNamed(RANK_IN_SECTION, LORA_SECTION), isCount),
    finder.has(isNamed(FOUR_BITS), isTrue),
  ];
  return (learns ? 1 : 0) + others.filter(Boolean).length;
}

const isOptimizer = ({ value }: Leaf): boolean => typeof value === 'string' && IS_OPTIMIZER.test(value);

const isNumeric = (value: Leaf['value']): boolean => Number(value) > 0 && Number(value) < 10;
