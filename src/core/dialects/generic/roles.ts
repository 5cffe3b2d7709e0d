import { emptyRow } from '../defined/definition';
import type { DefinedRow } from '../defined/definition';
import type { RunReader } from '../engine/runReader';
import { batchIn, rowAt } from './batches';
import { Finder, isCount, isFlag, isNamed, isWord, only } from './finder';
import type { Test } from './finder';
import { leavesOfRun } from './leaves';
import type { Leaf } from './leaves';
import { modelByRole } from './models';
import { otherRows } from './otherRows';
import { words } from './vocabulary';

type Rows = Record<string, DefinedRow>;

/**
 * Quantities of a composed config as the names and places of its keys tell them: for dialects in which every project has
 * keys of its own. Only stated values; if two keys of one meaning disagree, the value is unknown.
 */
export function rowsByRole(run: Pick<RunReader, 'leaves'>): Rows {
  const finder = new Finder(leavesOfRun(run));
  const model = modelByRole(finder);
  const found: Rows = {
    ...otherRows(finder),
    ...batchIn(finder, false)?.rows,
    ...(model && { model: rowAt(model, 'the model') }),
    ...strategy(finder),
    ...evaluation(finder),
    ...contradicted(finder),
  };
  const stated = Object.entries(found).filter(([name, { keys }]) => keys.length > 0 && !isPart(name));
  return Object.fromEntries(stated);
}

/** What the weights are loaded in is the program's matter: a dtype that is named is as often that of its arithmetic. */
const isPart = (name: string): boolean => name === 'loadDtype';

function strategy(finder: Finder): Rows {
  const leaf = only(finder.one(isNamed(words.strategy), ({ value }) => words.aStrategy.test(String(value))));
  return leaf ? { strategy: rowAt(leaf, 'how GPUs share the work') } : {};
}

function evaluation(finder: Finder): Rows {
  const [leaf] = finder.all(isNamed(words.batchOfAllEvaluation), isCount);
  if (!leaf) return {};
  return {
    evalBatchSize: { ...rowAt(leaf, 'the samples of a step of evaluation on all GPUs'), scope: 'global' },
  };
}

/** What more than one key says, each otherwise. */
const QUESTIONS: Readonly<Record<string, readonly Test[]>> = {
  gradAccum: [isNamed(words.accumulation), isCount, ({ name }) => !words.noAccumulation.test(name)],
  gradientCheckpointing: [isNamed(words.checkpointing), isFlag],
  optimizer: [isNamed(words.optimizer), isWord, ({ value }) => words.anOptimizer.test(String(value))],
};

function contradicted(finder: Finder): Rows {
  const rows: Rows = {};
  for (const [name, tests] of Object.entries(QUESTIONS)) {
    if (finder.one(...tests) !== 'several') continue;
    const [first, ...others] = finder.all(({ place }) => place === 'training', ...tests);
    const other = others.find(({ value }) => value !== first?.value);
    if (first && other) rows[name] = doubted(first, other);
  }
  return rows;
}

const doubted = (leaf: Leaf, other: Leaf): DefinedRow => ({
  ...emptyRow,
  keys: [leaf.key],
  doubt: `does not settle it: ${other.key} says otherwise`,
});
