import type { QuantityName } from '../../spec/values';
import type { NamedKeys } from '../dialect';
import { isNamed, isNamedIn } from './finder';
import type { Test } from './finder';
import { leavesOfRun } from './leaves';
import type { Leaf } from './leaves';
import { words } from './vocabulary';

const ADAPTERS: readonly Test[] = [
  isNamed(words.rank),
  isNamedIn(words.loraSection, words.rankInSection),
  isNamed(words.filesOfAdapters),
  leaf => isNamed(words.otherAdapterSwitch)(leaf) && leaf.value === true,
  leaf => isNamed(words.noAdapters)(leaf) && leaf.name !== 'enabled' && leaf.name !== 'enable',
];
const BATCHES: readonly Test[] = [words.batchOfDevice, words.batch].map(pattern => isNamed(pattern));

/** The names of each quantity whose default a key of another program would contradict. */
const NAMES: Readonly<Partial<Record<QuantityName, readonly Test[]>>> = {
  microBatchSize: BATCHES,
  globalBatchSize: [isNamed(words.batchOfAll)],
  gradAccum: [leaf => isNamed(words.accumulation)(leaf) && !words.noAccumulation.test(leaf.name)],
  seqLen: [words.length, words.otherLength].map(pattern => isNamed(pattern)),
  packing: [isNamed(words.packing)],
  optimizer: [isNamed(words.optimizer)],
  gradientCheckpointing: [isNamed(words.checkpointing)],
  method: ADAPTERS,
  lora: ADAPTERS,
  quantization: [
    isNamed(words.fourBits),
    isNamed(words.eightBits),
    isNamedIn(words.quantizationSection, words.bits),
  ],
  precision: [words.bf16, words.fp16, words.precision, words.amp].map(pattern => isNamed(pattern)),
  attention: [isNamed(words.attention)],
  compile: [isNamed(words.compile)],
  devices: [isNamed(words.deviceCount)],
  nodes: [isNamed(words.nodes)],
  numWorkers: [isNamed(words.workers)],
};

/** What is switched off, or empty, says nothing against what a program does by itself. */
const says = ({ value, node }: Leaf): boolean =>
  node.kind === 'sequence' || (value !== null && value !== false && value !== 0 && value !== '');

export const namedKeys: NamedKeys = values => {
  const training = values.flatMap(hit => {
    const [leaf] = leavesOfRun({ leaves: () => [hit] });
    return leaf?.place === 'training' && says(leaf) ? [{ hit, leaf }] : [];
  });
  return (name, assumed) => {
    const tests = NAMES[name] ?? [];
    const others = training.filter(({ leaf }) => String(leaf.value) !== String(assumed));
    return others.filter(({ leaf }) => tests.some(test => test(leaf))).map(({ hit }) => hit);
  };
};
