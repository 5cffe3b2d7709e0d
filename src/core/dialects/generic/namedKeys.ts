import type { QuantityName } from '../../spec/values';
import type { NamedKeys } from '../dialect';
import { isNamed, isNamedIn } from './finder';
import type { Test } from './finder';
import { leavesOfRun } from './leaves';
import type { Leaf } from './leaves';
import {
  ACCUMULATION,
  AMP,
  ATTENTION,
  BATCH,
  BATCH_OF_ALL,
  BATCH_OF_DEVICE,
  BF16,
  BITS,
  CHECKPOINTING,
  COMPILE,
  DEVICE_COUNT,
  EIGHT_BITS,
  FOUR_BITS,
  FP16,
  LENGTHS,
  LORA_SECTION,
  NODES,
  NO_ACCUMULATION,
  NO_ADAPTERS,
  OPTIMIZER,
  PACKING,
  PRECISION,
  QUANTIZATION_SECTION,
  RANK,
  RANK_IN_SECTION,
  WORKERS,
} from './vocabulary';

const ADAPTERS: readonly Test[] = [
  isNamed(RANK),
  isNamedIn(LORA_SECTION, RANK_IN_SECTION),
  leaf => isNamed(NO_ADAPTERS)(leaf) && leaf.name !== 'enabled' && leaf.name !== 'enable',
];
const BATCHES: readonly Test[] = [BATCH_OF_DEVICE, BATCH].map(pattern => isNamed(pattern));

/** The names of each quantity whose default a key of another program would contradict. */
const NAMES: Readonly<Partial<Record<QuantityName, readonly Test[]>>> = {
  microBatchSize: BATCHES,
  globalBatchSize: [isNamed(BATCH_OF_ALL)],
  gradAccum: [leaf => isNamed(ACCUMULATION)(leaf) && !NO_ACCUMULATION.test(leaf.name)],
  seqLen: LENGTHS.map(pattern => isNamed(pattern)),
  packing: [isNamed(PACKING)],
  optimizer: [isNamed(OPTIMIZER)],
  gradientCheckpointing: [isNamed(CHECKPOINTING)],
  method: ADAPTERS,
  lora: ADAPTERS,
  quantization: [isNamed(FOUR_BITS), isNamed(EIGHT_BITS), isNamedIn(QUANTIZATION_SECTION, BITS)],
  precision: [BF16, FP16, PRECISION, AMP].map(pattern => isNamed(pattern)),
  attention: [isNamed(ATTENTION)],
  compile: [isNamed(COMPILE)],
  devices: [isNamed(DEVICE_COUNT)],
  nodes: [isNamed(NODES)],
  numWorkers: [isNamed(WORKERS)],
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
