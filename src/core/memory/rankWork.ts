import type { MemoryRun } from './run';
import { gathers } from './sharding';
import type { Sharding } from './sharding';
import { bytesPer } from './tensor';
import type { ParameterGroup } from './optimizer';
import type { PassWork, Played } from './played';
import { ADAPTERS, STATES, WEIGHTS } from './terms';

/** What the optimizer touches on this rank after the last micro-batch. */
export interface UpdateWork {
  readonly elements: number;
  readonly weightBytes: number;
  readonly stateBytes: number;
  readonly isOnHost: boolean;
}

/** What ranks send one another, in bytes of one device. */
interface SentWork {
  /** Devices with other rows, or other parts of the same rows: gradients are reduced over these. */
  readonly dataRanks: number;
  /** Ranks that share one copy of what is sharded; 1: nothing is. */
  readonly shardRanks: number;
  /** Gathered weights of a pass over the model; 0: each rank holds its own. */
  readonly gatheredBytes: number;
  /** Backward gathers them again. */
  readonly gathersTwice: boolean;
  /** Gradients, once a step, or once a micro-batch where they are sharded. */
  readonly reducedBytes: number;
  readonly reducesEachPass: boolean;
  readonly tensorRanks: number;
  /** Hidden states of a micro-batch, which tensor-parallel ranks exchange four times a layer. */
  readonly hiddenBytes: number;
  readonly layers: number;
  /** Copies of tokens that are sent to the ranks of their experts, twice a layer and pass. */
  readonly routedBytes: number;
}

/** A step's work on one rank; all counts are of this device. */
export interface RankWork extends PassWork {
  readonly task: MemoryRun['task'];
  readonly rows: number;
  /** Tokens of a row on this device; 1 where rows are images. */
  readonly tokens: number;
  readonly isOfTexts: boolean;
  /** Rows may be shorter: only the data tell how much. */
  readonly isAtMost: boolean;
  /** Tokens see only earlier ones: attention skips half of its positions. */
  readonly isCausal: boolean;
  readonly isCompiled: boolean;
  /** Passes over a micro-batch in one step. */
  readonly passes: number;
  readonly stages: number;
  readonly chunks: number;
  readonly update: UpdateWork | null;
  readonly sent: SentWork;
}

/** Names of heads whose texts are read from left to right. */
const CAUSAL: ReadonlySet<string> = new Set([
  'causal-lm',
  'sequence-classification',
  'base',
  'token-classification',
]);

/** Collects what the speed of a rank depends on from what was played. */
export function rankWorkOf(run: MemoryRun, played: Played): RankWork | null {
  if (played.work === null) return null;
  const { batch, ranks, training, model } = run;
  const { stage } = ranks;
  const isOfTexts = batch.image === null && batch.audio === null;
  return {
    ...played.work,
    task: run.task,
    rows: batch.rows,
    tokens: batch.tokens + batch.targets,
    isOfTexts,
    isAtMost: batch.atMost === true,
    isCausal: isOfTexts && model.kind !== 'encoder' && CAUSAL.has(run.head),
    isCompiled: run.behavior.compiles,
    passes: stage ? stage.microBatches : Math.max(1, training.gradAccum),
    stages: stage?.of ?? 1,
    chunks: stage?.chunks ?? 1,
    update: updateOf(run, played),
    sent: sentOf(run, played),
  };
}

const sumOf = (
  groups: readonly ParameterGroup[],
  of: (group: ParameterGroup['parameters'][number]) => number,
): number =>
  groups.reduce(
    (sum, { times, parameters }) => sum + times * parameters.reduce((all, one) => all + of(one), 0),
    0,
  );

function updateOf(
  { training, ranks: { sharding } }: MemoryRun,
  { trainable, phases }: Played,
): UpdateWork | null {
  if (training.optimizer === null) return null;
  const last = phases.find(({ phase }) => phase === 'optimizer step');
  return {
    elements: sumOf(trainable, ({ elements }) => elements),
    weightBytes: sumOf(trainable, ({ elements, dtype }) => elements * bytesPer(dtype)),
    stateBytes: last?.peak.terms[STATES] ?? 0,
    isOnHost: isUpdatedOnHost(sharding),
  };
}

function isUpdatedOnHost(sharding: Sharding | null): boolean {
  if (sharding === null) return false;
  if (sharding.kind === 'fsdp') return sharding.offload;
  return sharding.kind === 'zero' ? sharding.offloadsOptimizer : sharding.onHost;
}

function sentOf(run: MemoryRun, played: Played): SentWork {
  const { ranks, batch, model, numbers } = run;
  const { sharding, replicas, tensor = 1 } = ranks;
  const computed = bytesPer(numbers.autocast ?? numbers.weightDtype);
  const hiddenBytes = batch.rows * batch.tokens * model.hiddenSize * Math.min(2, computed);
  const isRouted = (ranks.routedExperts ?? model.experts) > model.experts;
  return {
    ...shardedBytes(sharding, played),
    dataRanks: Math.max(1, replicas),
    reducedBytes: replicas > 1 ? gradientBytes(run, played) : 0,
    tensorRanks: tensor,
    hiddenBytes,
    layers: model.layers,
    routedBytes: isRouted ? hiddenBytes * model.expertsPerToken : 0,
  };
}

type Sharded = Pick<SentWork, 'shardRanks' | 'gatheredBytes' | 'gathersTwice' | 'reducesEachPass'>;

function shardedBytes(sharding: Sharding | null, { inventory }: Played): Sharded {
  const shardRanks = sharding ? sharding.ranks : 1;
  const reducesEachPass = sharding?.kind === 'zero' && sharding.stage > 1;
  if (!gathers(sharding)) {
    return { shardRanks, gatheredBytes: 0, gathersTwice: false, reducesEachPass };
  }
  const { compute } = sharding;
  const held = [WEIGHTS, ADAPTERS].flatMap(term => inventory.of(term));
  const bytes = held.reduce((sum, part) => {
    const narrow = compute ? part.count * bytesPer(compute) : part.bytes;
    return sum + Math.min(part.bytes, narrow);
  }, 0);
  const gathersTwice = sharding.kind === 'zero' || sharding.reshards;
  return { shardRanks, gatheredBytes: bytes * shardRanks, gathersTwice, reducesEachPass: true };
}

/** Bytes of all gradients as they are reduced, of what this rank or its replicas train. */
function gradientBytes(
  { ranks: { sharding }, numbers: { weightDtype } }: MemoryRun,
  { trainable }: Played,
): number {
  const elements = sumOf(trainable, one => one.elements);
  if (sharding === null) return elements * bytesPer(weightDtype);
  if (sharding.kind === 'megatron') {
    return elements * (sharding.distributed ? sharding.ranks : 1) * bytesPer('fp32');
  }
  const dtype = sharding.kind === 'fsdp' ? (sharding.reduce ?? weightDtype) : sharding.compute;
  return elements * sharding.ranks * bytesPer(dtype);
}
