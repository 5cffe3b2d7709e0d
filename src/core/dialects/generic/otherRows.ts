import { emptyRow } from '../defined/definition';
import type { DefinedRow } from '../defined/definition';
import type { Silence } from '../engine/compose';
import { readers } from '../defined/words';
import { limitsTokens, rowAt } from './batches';
import { isAmount, isCount, isFlag, isTrue, isWord, isNamed, isNamedIn, only } from './finder';
import type { Finder, Test } from './finder';
import type { Leaf } from './leaves';
import { assumed, precisionRows } from './precision';
import { adapterRows } from './adapters';
import { image, plainSide } from './images';
import { words } from './vocabulary';

type Rows = Record<string, DefinedRow>;

/**
 * All rows except the batch and the model. Omits what is stated in two ways. `isCounted`: accumulation follows from the
 * batches of a step and of all GPUs.
 */
export function otherRows(finder: Finder, isWhole: boolean | Silence = true, isCounted = false): Rows {
  // A section may lie on another one, too: `training: {extends: DEFAULTS}`.
  const inherits = finder.has(isNamed(words.inherits), isWord);
  const isSilent = (topic: keyof Silence): boolean =>
    !inherits && (typeof isWhole === 'boolean' ? isWhole : isWhole[topic]);
  const isOff = finder.has(isNamed(words.noSharding), ({ value }) => value === false);
  const shares =
    !isOff && finder.has(({ name, sections }) => [name, ...sections].some(each => words.sharding.test(each)));
  return {
    ...(isCounted ? { gradAccum: { ...emptyRow, rule: 'accumulationFromGlobal' } } : {}),
    ...accumulation(finder, isSilent('accumulation') && !isCounted),
    ...length(finder),
    ...image(finder),
    ...optimizer(finder),
    ...checkpointing(finder, isSilent('checkpointing') && !shares),
    ...adapterRows(finder, isSilent('adapters') && !shares),
    ...precisionRows(finder, typeof isWhole !== 'boolean' && isSilent('precision')),
    ...machine(finder),
    ...(isSilent('sharding') && !shares ? alone : {}),
    ...rest(finder),
  };
}

/** Without any mention of sharding, each GPU holds the whole model. */
const alone: Rows = Object.fromEntries(
  ['zeroStage', 'fsdp', 'offload', 'parallel'].map(name => [
    name,
    { ...emptyRow, ...assumed(null, 'no key for sharding') },
  ]),
);

function accumulation(finder: Finder, complete: boolean): Rows {
  const leaf = finder.one(
    isNamed(words.accumulation),
    isCount,
    ({ name }) => !words.noAccumulation.test(name),
  );
  if (leaf === 'several') return {};
  if (leaf) return { gradAccum: rowAt(leaf, 'steps of gradient accumulation') };
  const isMentioned =
    finder.has(limitsTokens) ||
    [words.aboutAccumulation, words.accumulation].some(names => finder.has(isNamed(names)));
  if (!complete || isMentioned) return {};
  return { gradAccum: { ...emptyRow, ...assumed(1, 'no key for gradient accumulation') } };
}

/** Steps that change samples have sizes of their own: `cutout: {max_len: 16}`. */
const isOfRow: Test = ({ sections }) => !sections.some(section => CHANGES_SAMPLES.test(section));
const CHANGES_SAMPLES = /(?:^|_)(?:aug(?:ment\w*|s)?|transforms?|cutout)(?:_|$)/;

function length(finder: Finder): Rows {
  const leaf = only(finder.firstOf([words.length, words.otherLength], isCount, isOfRow));
  return leaf ? { seqLen: rowAt(leaf, 'the tokens of a sample') } : {};
}

function optimizer(finder: Finder): Rows {
  const isOne = ({ value }: Leaf): boolean => typeof value === 'string' && words.anOptimizer.test(value);
  const leaf = only(
    finder.one(isNamed(words.optimizer), isOne) ??
      finder.one(isNamed(words.optimizerInSection, words.optimizerSection), isOne),
  );
  return leaf ? { optimizer: rowAt(leaf, 'the optimizer') } : {};
}

function checkpointing(finder: Finder, complete: boolean): Rows {
  const leaf = only(
    finder.one(isNamed(words.checkpointing), one => isFlag(one) || one.value === 'unsloth') ??
      finder.one(isNamedIn(words.checkpointing, SWITCH), isFlag),
  );
  if (leaf) {
    const map = [
      ['true', true],
      ['unsloth', true],
      ['false', false],
    ] as const;
    return { gradientCheckpointing: { ...rowAt(leaf, 'activation checkpointing'), map } };
  }
  if (!complete || finder.has(isNamed(words.aboutCheckpointing))) return {};
  return { gradientCheckpointing: { ...emptyRow, ...assumed(false, 'no key for gradient checkpointing') } };
}

const SWITCH = /^(?:activated?|enabled?|use|on)$/;

function machine(finder: Finder): Rows {
  const rows: Rows = {};
  const counted = only(
    finder.one(isNamed(words.deviceCount), ({ value, node }) => node.kind === 'sequence' || value !== null),
  );
  const index = only(finder.one(isNamed(words.deviceIndex), isWord));
  const listed = only(finder.one(isNamed(words.deviceIndex), isIndices));
  if (counted && readers.devices(plainSide(counted))) rows['devices'] = rowAt(counted, 'the number of GPUs');
  else if (index && readers.devices(index.value)) rows['devices'] = rowAt(index, 'the GPUs');
  else if (listed) rows['devices'] = rowAt(listed, 'the GPUs');
  if (index && /^(?:cuda|gpu|cpu|mps|xpu|npu|tpu)\b/.test(String(index.value))) {
    const map = [
      ['/^(?:cuda|gpu)/', 'cuda'],
      ['/^cpu/', 'cpu'],
      ['/^mps/', 'mps'],
      ['/^xpu/', 'xpu'],
      ['/^npu/', 'npu'],
      ['/^tpu/', 'tpu'],
    ] as const;
    rows['accelerator'] = { ...rowAt(index, 'the device'), map };
  }
  const nodes = only(finder.one(isNamed(words.nodes), isCount));
  if (rows['accelerator'] === undefined) {
    const kind = only(
      finder.one(isNamed(words.accelerator), ({ value }) => words.anAccelerator.test(String(value))),
    );
    if (kind) rows['accelerator'] = rowAt(kind, 'the device');
  }
  if (nodes) rows['nodes'] = rowAt(nodes, 'the number of machines');
  else if (rows['devices']) {
    rows['nodes'] = { ...emptyRow, ...assumed(1, 'no key for several machines') };
  }
  return rows;
}

/** `device: [0, 1]`. */
const isIndices: Test = ({ node }) =>
  node.kind === 'sequence' &&
  node.items.length > 0 &&
  node.items.every(item => item.kind === 'scalar' && typeof item.value === 'number');

/** LoRA's name for the task. */
const TASKS = [
  ['CAUSAL_LM', 'sft'],
  ['SEQ_CLS', 'sequence_classification'],
  ['TOKEN_CLS', 'token_classification'],
  ['SEQ_2_SEQ_LM', 'seq2seq'],
] as const;

function rest(finder: Finder): Rows {
  const rows: Rows = {};
  const addRow = (name: string, leaf: Leaf | null, what: string, map: DefinedRow['map'] = []): void => {
    if (leaf) rows[name] = { ...rowAt(leaf, what), map };
  };
  addRow('numWorkers', only(finder.one(isNamed(words.workers), isAmount)), 'the processes that load data');
  addRow('packing', only(finder.one(isNamed(words.packing), isFlag)), 'packing of samples');
  addRow('zeroStage', only(finder.one(isNamed(words.zero), isStage)), 'the stage of ZeRO');
  addRow('compile', only(finder.one(isNamed(words.compile), isFlag)), 'compilation of the model');
  addRow('attention', only(finder.one(isNamed(words.attention), isWord)), 'the kernel of attention');
  const flash = only(finder.one(isNamed(words.flash), isTrue));
  if (!rows['attention']) {
    addRow('attention', flash, 'the kernel of attention', [
      ['true', 'flash_attention_2'],
      ['false', 'sdpa'],
    ]);
  }
  const strategy = only(finder.one(({ name }) => /^(?:fsdp_)?sharding_strategy$/.test(name), isStrategy));
  if (strategy) {
    const fields = { strategy: String(strategy.value).toUpperCase() };
    rows['fsdp'] = { ...rowAt(strategy, 'how FSDP shards'), value: { is: { fields } } };
  } else if (rows['zeroStage']) {
    rows['fsdp'] = { ...emptyRow, ...assumed(null, 'ZeRO shards the model') };
  }
  const named = sectionOfTrainer(finder) ?? prefixOfTrainer(finder);
  if (named) addRow('task', named.leaf, `it is called after ${named.task}`, [['/./', named.task]]);
  // A causal model is trained in several ways.
  const isTask: Test = ({ value }) => TASKS.some(([word]) => word === value);
  const task = named ? null : only(finder.one(isNamed(words.task), isTask));
  addRow('task', task, 'the task', TASKS);
  const method = task || named ? null : only(finder.one(isNamed(words.method), isMethod));
  if (method) addRow('task', method, 'how it is trained', [['/./', methodOf(method)]]);
  const pairs = task || named || method ? null : ofPairs(finder);
  if (pairs) addRow('task', pairs, 'what DPO has, and no other training', [['/./', 'dpo']]);
  return rows;
}

/** torch.distributed.fsdp.ShardingStrategy. */
const isStrategy: Test = ({ value }) =>
  /^(?:full_shard|shard_grad_op|no_shard|hybrid_shard)$/i.test(String(value));

const isStage: Test = ({ value }) => /^[0-3]$/.test(String(value));

/** `method: dpo`: a word that is nothing but such a task. */
const isMethod: Test = ({ value }) => words.aMethod.test(String(value));
const methodOf = ({ value }: Leaf): string => String(value).toLowerCase();

/** `beta` and `max_prompt_length`, which only trainers of preferences have together; GRPO's make completions. */
function ofPairs(finder: Finder): Leaf | null {
  const prompt = only(finder.one(({ name }) => name === 'max_prompt_length', isCount));
  const others = finder.has(({ name, value }) => name === 'beta' && Number(value) > 0);
  const makes =
    finder.has(isNamed(words.generations)) || finder.has(({ name }) => name.includes('completion'));
  return others && !makes ? prompt : null;
}

/** `dpo_beta: 0.1`: settings that are called after one trainer of preferences. */
function prefixOfTrainer(finder: Finder): { readonly leaf: Leaf; readonly task: string } | null {
  const stated = finder.all(
    ({ place, name }) => place === 'training' && PREFERENCES.test(name),
    ({ value }) => Number(value) > 0 || (typeof value === 'string' && value !== ''),
  );
  const tasks = new Set(stated.map(({ name }) => name.split('_')[0] ?? ''));
  const [leaf] = stated;
  const [task] = tasks;
  return leaf && task !== undefined && tasks.size === 1 ? { leaf, task } : null;
}

const PREFERENCES = /^(?:dpo|orpo|kto|simpo|cpo)_(?:beta|loss|alpha|lambda|gamma)/;

/** `grpo: {learning_rate: …, per_device_train_batch_size: …}`: a section called after the trainer whose arguments it has. */
function sectionOfTrainer(finder: Finder): { readonly leaf: Leaf; readonly task: string } | null {
  const stated = finder.all(
    leaf => words.trainers.test(leaf.sections[0] ?? ''),
    leaf => ARGUMENTS.some(pattern => pattern.test(leaf.name)),
  );
  const sections = new Set(stated.map(({ sections: [section = ''] }) => section));
  const [leaf] = stated;
  const [task = ''] = leaf?.sections ?? [];
  return leaf && sections.size === 1 && stated.length > 1 ? { leaf, task } : null;
}

const ARGUMENTS = [words.batchOfDevice, words.batch, words.learningRate, words.accumulation, words.duration];
