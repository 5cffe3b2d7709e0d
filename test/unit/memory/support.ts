import assert from 'node:assert/strict';
import { NONE } from '../../../src/core/spec/maybe';
import { readFileSync } from 'node:fs';
import { Graph } from '../../../src/core/memory/autograd';
import { bytesPer, keepInNode, Node } from '../../../src/core/memory/tensor';
import { llama } from '../../../src/core/memory/architectures/llama';
import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';
import { behaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import type { Framework } from '../../../src/core/spec/runSpec';
import type { Element, Leaf, Parameter, Tensor } from '../../../src/core/memory/tensor';
import { adamwForeach } from '../../../src/core/memory/optimizers/adamw';
import type { Phase, Played } from '../../../src/core/memory/played';
import type {
  Batch,
  Devices,
  Evaluation,
  Generation,
  Kernels,
  MemoryRun,
  Numbers,
  Ranks,
  Recompute,
  Training,
} from '../../../src/core/memory/run';
import { copy } from '../../../src/core/memory/ops/shape';
import { Tape } from '../../../src/core/memory/tape';
import { WEIGHTS } from '../../../src/core/memory/terms';
import type { TermIndex } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import type { ModelFacts } from '../../../src/core/models/model';

/** A file of test/fixtures/memory. */
export function fixture(name: string): unknown {
  return JSON.parse(readFileSync(`test/fixtures/memory/${name}.json`, 'utf8'));
}

/** A model, as described by its config.json. */
export function modelOf(config: Readonly<Record<string, unknown>>): ModelFacts {
  const reading = modelFromConfigJson('test', JSON.stringify(config), 'config.json');
  assert.ok(reading.ok);
  return reading.model;
}

/** Sizes are multiples of the allocator's rounding, so that bytes are exact. */
export const smallLlama: ModelFacts = modelOf({
  model_type: 'llama',
  hidden_size: 256,
  intermediate_size: 768,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 1024,
  max_position_embeddings: 2048,
  tie_word_embeddings: false,
});

/** The behavior of a framework's release for a Llama whose config says nothing else. */
export const behaviorIn = (framework: Framework): Behavior =>
  behaviorOf({
    framework,
    modelType: 'llama',
    loss: null,
    preference: false,
    task: null,
    sequenceParallel: null,
    expandableSegments: null,
    kernels: [],
    attention: 'sdpa',
  });

const behavior = behaviorIn({
  id: null,
  name: 'script',
  version: null,
  libraries: { transformers: '5.23.0' },
  stated: true,
});

const base: MemoryRun = {
  model: smallLlama,
  head: 'causal-lm',
  encoders: 1,
  task: 'train',
  behavior,
  batch: {
    rows: 2,
    tokens: 128,
    targets: 0,
    padded: false,
    image: null,
    audio: null,
    contrast: NONE,
    picturePixels: NONE,
  },
  numbers: { weightDtype: 'bf16', autocast: null, quantization: null, upcast: 'none' },
  training: {
    lora: null,
    reference: 'none',
    frozen: false,
    optimizer: adamwForeach,
    gradAccum: 1,
    partly: null,
    merges: null,
  },
  recompute: { checkpointing: 'none', inputGradients: false, segments: null },
  kernels: { attention: 'sdpa', hasFlash: true },
  ranks: { replicas: 1, context: 1, sharding: null },
  devices: { spread: 1, placement: null },
  generation: {
    serving: null,
    useCache: true,
    seen: 0,
    generated: 0,
    staticCache: null,
    cacheDtype: null,
    logitsToKeep: null,
    rollout: null,
  },
  evaluation: { evaluated: NONE, writes: null },
};

type Groups = Pick<
  MemoryRun,
  | 'batch'
  | 'numbers'
  | 'training'
  | 'recompute'
  | 'kernels'
  | 'ranks'
  | 'devices'
  | 'generation'
  | 'evaluation'
>;
type Fields = Batch & Numbers & Training & Recompute & Kernels & Ranks & Devices & Generation & Evaluation;

/** Changes of a run by field name, whatever the field's group. */
export type RunChanges = Partial<Omit<MemoryRun, keyof Groups> & Fields>;

/** The group of each field. */
const GROUP_OF: { readonly [Name in keyof Fields]-?: keyof Groups } = {
  rows: 'batch',
  tokens: 'batch',
  targets: 'batch',
  padded: 'batch',
  uneven: 'batch',
  atMost: 'batch',
  image: 'batch',
  audio: 'batch',
  contrast: 'batch',
  picturePixels: 'batch',
  weightDtype: 'numbers',
  autocast: 'numbers',
  quantization: 'numbers',
  quantizesExperts: 'numbers',
  upcast: 'numbers',
  inFp8: 'numbers',
  lora: 'training',
  partly: 'training',
  frozenParts: 'training',
  frozen: 'training',
  reference: 'training',
  values: 'training',
  averaged: 'training',
  optimizer: 'training',
  gradAccum: 'training',
  resumes: 'training',
  merges: 'training',
  checkpointing: 'recompute',
  checkpointEvery: 'recompute',
  segments: 'recompute',
  inputGradients: 'recompute',
  attention: 'kernels',
  hasFlash: 'kernels',
  replicas: 'ranks',
  stage: 'ranks',
  sequence: 'ranks',
  tensor: 'ranks',
  expertTensor: 'ranks',
  routedExperts: 'ranks',
  context: 'ranks',
  sharding: 'ranks',
  spread: 'devices',
  placement: 'devices',
  serving: 'generation',
  useCache: 'generation',
  seen: 'generation',
  generated: 'generation',
  staticCache: 'generation',
  cacheDtype: 'generation',
  logitsToKeep: 'generation',
  rollout: 'generation',
  evaluated: 'evaluation',
  writes: 'evaluation',
  picture: 'evaluation',
};

const isGrouped = (name: string): name is keyof Fields => Object.hasOwn(GROUP_OF, name);

/** Fields outside the groups; without this list, a change of a nonexistent field would go unnoticed. */
const OUTSIDE: readonly string[] = [
  'model',
  'head',
  'encoders',
  'task',
  'isNearest',
  'behavior',
  'otherModels',
];

/** A run with different values in some fields. */
export function changed(run: MemoryRun, changes: RunChanges): MemoryRun {
  let result = run;
  for (const [name, value] of Object.entries(changes)) {
    if (isGrouped(name)) {
      const group = GROUP_OF[name];
      result = { ...result, [group]: { ...result[group], [name]: value } };
    } else {
      assert.ok(OUTSIDE.includes(name), `${name} is not a field of a run`);
      result = { ...result, [name]: value };
    }
  }
  return result;
}

/** Full fine-tuning in bf16 with AdamW, except for the changes. */
export const memoryRun = (changes: RunChanges = {}): MemoryRun => changed(base, changes);

/** One step of a small Llama. */
export const playedLlama = (changes: RunChanges = {}): Played => play(llama, memoryRun(changes));

/** A phase's peak, for one term or all. */
export function peakOf(played: Played, phase: Phase, term?: TermIndex): number {
  const found = played.phases.find(one => one.phase === phase);
  assert.ok(found, phase);
  return term === undefined ? found.peak.bytes : (found.peak.terms[term] ?? 0);
}

/** Phases as a simulated record names them. */
const RECORDED: readonly (readonly [string, Phase])[] = [
  ['load', 'load'],
  ['fwd_first', 'first forward'],
  ['bwd_first', 'first backward'],
  ['opt_first', 'first optimizer step'],
  ['fwd_steady', 'forward'],
  ['bwd_steady', 'backward'],
  ['opt_steady', 'optimizer step'],
];

/** Each phase's peak, named as in a simulated record. */
export const recordedPhases = (played: Played): Readonly<Record<string, number>> =>
  Object.fromEntries(RECORDED.map(([name, phase]) => [name, peakOf(played, phase)]));

/** The number of trained parameters. */
export function trainedIn({ trainable }: Played): number {
  return trainable.reduce((sum, { times, parameters }) => {
    return sum + times * parameters.reduce((all, { elements }) => all + elements, 0);
  }, 0);
}

/** A parameter outside any model. */
export function parameter(tape: Tape, shape: readonly number[], dtype: Element, trainable = true): Parameter {
  const elements = shape.reduce((product, size) => product * size, 1);
  const storage = tape.ledger.place(elements * bytesPer(dtype), WEIGHTS, 1);
  const node = trainable ? new Node([], keepInNode, WEIGHTS) : null;
  const made: Parameter = {
    storage,
    elements,
    dtype,
    node,
    slot: 0,
    holders: 1,
    uses: 0,
    grad: null,
    shape,
    copies: 1,
    trainable,
  };
  if (node) node.leaf = made;
  return made;
}

/** The bytes of an operation. */
export interface Cost {
  readonly result: number;
  /** Besides the result, if its input has no other owner. */
  readonly kept: number;
  /** The most while its derivative runs, besides the memory in use when it started. */
  readonly backward: number;
}

/** Runs an operation on a tensor without other owners, and its derivative. */
export function costOf(
  op: (tape: Tape, x: Tensor) => Tensor,
  { elements = 4096, dtype = 'bf16' }: { readonly elements?: number; readonly dtype?: Element } = {},
): Cost {
  const tape = new Tape();
  const leaf: Leaf = tape.leaf(tape.keep(tape.empty(elements, dtype)));
  tape.keep(leaf);
  const graph = new Graph(tape);
  tape.graph = graph;
  const before = tape.ledger.live;
  const result = tape.keep(op(tape, copy(tape, leaf)));
  const kept = tape.ledger.live - before - result.storage.bytes;
  const seed = tape.keep(tape.like(result));
  tape.ledger.takePeak();
  const begun = tape.ledger.live;
  tape.graph = null;
  graph.backward(result, seed);
  return { result: result.storage.bytes, kept, backward: tape.ledger.takePeak().bytes - begun };
}
