import type { LossCode } from '../core/memory/frameworks/behavior/behavior';
import { SCORES_AND_ENTROPIES } from '../core/memory/frameworks/behavior/lossCode';
import type { Phase, Played } from '../core/memory/played';
import type { TermName } from '../core/models/terms';
import type { MemoryRun } from '../core/memory/run';
import { isPreference } from '../core/memory/setup/task';
import type { Plan } from '../core/memory/setup/setUp';
import { TERMS } from '../core/memory/terms';
import { play } from '../core/memory/timeline';
import type { DryRunResult } from './request';

type Sums = Readonly<Partial<Record<TermName, number>>>;

/**
 * Code that a run has in place of the model's own, or in addition to it: a dry run omits it, and the computed
 * difference is added.
 */
export interface Added {
  /** A phrase each: `a loss in parts of 256 tokens`. */
  readonly what: readonly string[];
  /** The difference in bytes at each phase's peak, by the dry run's names of phases, with its terms. */
  readonly phases: Readonly<Record<string, { readonly bytes: number; readonly terms: Sums }>>;
}

const PHASES: readonly (readonly [dry: string, computed: Phase])[] = [
  ['load', 'load'],
  ['forward first', 'first forward'],
  ['backward first', 'first backward'],
  ['optimizer first', 'first optimizer step'],
  ['forward steady', 'forward'],
  ['backward steady', 'backward'],
  ['optimizer steady', 'optimizer step'],
];

/**
 * Losses of frameworks that compute cross-entropy over the model's own hidden states, but make the logits
 * differently.
 */
function lossWords(loss: LossCode): string | null {
  switch (loss.kind) {
    case 'fused linear':
      return 'a loss fused with the head (Liger)';
    case 'cut':
      return 'a loss without logits (cut cross-entropy)';
    case 'chunked':
      return 'tokens' in loss
        ? `a loss in chunks of ${loss.tokens} tokens`
        : `a loss in ${loss.parts} chunks`;
    case 'in parts':
      return `a loss of ${loss.parts} parts of the logits`;
    case 'cross-entropy':
      return loss.kernel === 'torch' ? null : `a loss with its own kernel (${loss.kernel})`;
    case 'log-probabilities':
    case 'policy':
    case 'distillation':
      return null;
  }
}

const NO_KERNELS = {
  rmsNorm: false,
  rotary: false,
  gatedMlp: false,
  loraInputs: false,
  loraOutput: false,
  loraMlp: false,
};

const KERNEL_WORDS: Readonly<Record<keyof typeof NO_KERNELS, string>> = {
  rmsNorm: 'a fused RMSNorm',
  rotary: 'fused rotary embeddings',
  gatedMlp: 'a fused gated MLP',
  loraInputs: 'fused projections with adapters',
  loraOutput: 'a fused output projection with adapters',
  loraMlp: 'a fused MLP with adapters',
};

/** The run with only the model's own code, and the code that differs; null if none does. */
export function plainRun(
  run: MemoryRun,
  task: string | null,
): { readonly plain: MemoryRun; readonly what: readonly string[] } | null {
  const {
    ranks: { replicas },
    behavior,
  } = run;
  const { kernels, loss } = behavior;
  const names = Object.keys(NO_KERNELS) as (keyof typeof NO_KERNELS)[];
  const fused = names.filter(name => kernels[name]).map(name => KERNEL_WORDS[name]);
  const own = isPreference(task) && loss.kind === 'policy' ? SCORES_IN_TILES : lossWords(loss);
  const what = [...fused, ...(own === null ? [] : [own]), ...buckets(run)];
  if (what.length === 0) return null;
  const replaced = own === SCORES_IN_TILES ? SCORES_AND_ENTROPIES : PLAIN_LOSS;
  const plain = { ...behavior, kernels: NO_KERNELS, loss: own === null ? loss : replaced };
  return {
    plain: { ...run, behavior: plain, ranks: { ...run.ranks, replicas: isDdp(run) ? 1 : replicas } },
    what,
  };
}

/**
 * Each GPU has the whole model: the dry run is of one GPU, and the gradients exist a second time in communication
 * buckets.
 */
const isDdp = ({ ranks: { replicas, sharding } }: MemoryRun): boolean => replicas > 1 && sharding === null;

const buckets = (run: MemoryRun): readonly string[] =>
  isDdp(run) ? [`gradient buckets for ${run.ranks.replicas} GPUs (DDP)`] : [];

/** transformers' own loss since 4.49 (lossCode.ts): the environment's version is what runs. */
const PLAIN_LOSS: LossCode = {
  kind: 'cross-entropy',
  upcast: 'in the loss',
  shift: 'labels',
  kernel: 'torch',
};

/** Log-probabilities of pairs from logit tiles, without all logits (lossCode.ts, preferenceOf). */
const SCORES_IN_TILES = 'log-probabilities of logit tiles';

/** The difference between two runs in each phase, both computed. */
export function difference(
  { architecture, memoryRun }: Plan,
  plain: MemoryRun,
  what: readonly string[],
): Added {
  const [run, without] = [play(architecture, memoryRun), play(architecture, plain)];
  const phases = PHASES.flatMap(([dry, computed]) => {
    const [peak, other] = [peakIn(run, computed), peakIn(without, computed)];
    if (!peak || !other) return [];
    const terms = TERMS.map((name, i) => [name, (peak.terms[i] ?? 0) - (other.terms[i] ?? 0)] as const);
    const moved = Object.fromEntries(terms.filter(([, bytes]) => bytes !== 0));
    return [[dry, { bytes: peak.bytes - other.bytes, terms: moved }] as const];
  });
  return { what, phases: Object.fromEntries(phases) };
}

const peakIn = ({ phases }: Played, name: Phase): Played['phases'][number]['peak'] | null =>
  phases.find(({ phase }) => phase === name)?.peak ?? null;

/** The dry run's phases plus the difference. */
export function withAdded(phases: DryRunResult['phases'], added: Added | null): DryRunResult['phases'] {
  if (!added) return phases;
  return Object.fromEntries(
    Object.entries(phases).map(([phase, bytes]) => [
      phase,
      Math.max(0, bytes + (added.phases[phase]?.bytes ?? 0)),
    ]),
  );
}

/** The terms at a phase's peak plus the difference. */
export function termsWithAdded(terms: Sums, phase: string, added: Added | null): Sums {
  const moved = Object.entries(added?.phases[phase]?.terms ?? {}) as [TermName, number][];
  const sums: Partial<Record<TermName, number>> = { ...terms };
  for (const [name, bytes] of moved) sums[name] = Math.max(0, (sums[name] ?? 0) + bytes);
  return sums;
}
