import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import { inRelease } from '../../spec/version';
import type { Release } from '../../spec/version';
import { MIB } from '../../units';
import type { Engine, EngineWords, PassFacts } from '../engine';
import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** Share that is not left free (models/globals.py, TGI_WIGGLE_ROOM). */
const WIGGLE_ROOM = 0.9;
/** The same where the launcher sizes a pass (launcher/src/main.rs, ComputeType). */
const LAUNCHERS_WIGGLE_ROOM = 0.95;

/** fp16 products per second, in TFLOP/s, of the GPUs that the launcher knows, by nvidia-smi's names. */
const TFLOPS: readonly (readonly [name: RegExp, tflops: number])[] = [
  [/\bL40S\b/i, 363],
  [/\bL40\b/i, 181],
  [/\bL4\b/i, 121],
  [/\bA10G\b/i, 125],
  [/\bA40\b/i, 149],
  [/\bA100\b/i, 312],
  [/\bH100 (?:SXM|NVL)\b|\bH100 80GB HBM3\b|^H100$/i, 900],
  [/\bH200\b(?! NVL)/i, 989],
];

/** Tokens of a pass for other GPUs. */
const USUAL_TOKENS = 4096;
/** Fewer are taken for an error. */
const LEAST_TOKENS = 100;

/** Config::flop: products of one token; models with images are not reckoned. */
function flopOf({
  heads,
  kvHeads,
  headDim,
  hiddenSize,
  intermediateSize,
  layers,
  expertsPerToken,
}: ModelFacts): number {
  const attention = 2 * headDim * hiddenSize * (3 * heads + 2 * kvHeads);
  const mlp = 2 * 3 * hiddenSize * intermediateSize * Math.max(1, expertsPerToken);
  return (attention + mlp) * layers;
}

/** vram_maximum: tokens that the launcher believes to fit; it overshoots what a token of an MLP takes. */
function mostTokens({ model, tensorRanks, share }: PassFacts, totalMiB: number): number {
  const { heads, kvHeads, headDim, hiddenSize, intermediateSize, layers, vocabSize } = model;
  const experts = Math.max(1, model.experts);
  const layer =
    3 * intermediateSize * experts * hiddenSize +
    (heads + 2 * kvHeads) * headDim +
    heads * headDim * hiddenSize;
  const weights = 2 * (layer * layers + 2 * hiddenSize * vocabSize);
  const token = kvHeads * 2 * headDim * 2 * layers + 1.5 * intermediateSize * experts * 2 * 3;
  const room = totalMiB * MIB * tensorRanks * (share ?? 1) * LAUNCHERS_WIGGLE_ROOM - weights;
  return room > 0 ? Math.floor(room / token) : Infinity;
}

/** `max_batch_prefill_tokens` since 3.0: what the GPU computes in a second, as far as it fits. */
function passOf(target: Target | null, pass: PassFacts): number {
  const name = target?.gpu?.name ?? target?.name ?? '';
  const tflops = TFLOPS.find(([word]) => word.test(name))?.[1];
  const { model } = pass;
  const reckoned = tflops === undefined ? 0 : Math.floor((tflops * 1e12 * pass.tensorRanks) / flopOf(model));
  const hasImages = model.extra['vision_config'] !== undefined;
  const best = hasImages || reckoned <= LEAST_TOKENS ? USUAL_TOKENS : reckoned;
  const fits = target ? mostTokens(pass, target.totalMiB) : Infinity;
  return Math.min(best, model.maxPositions ?? Infinity, fits);
}

const WORDS: EngineWords = {
  tooSmall: 'not enough memory to handle max_total_tokens={length}',
  nothing: 'not enough memory to handle the prefill tokens',
};

/** What it promises without a length: to 2.4 at most 4,096 tokens (launcher/src/main.rs, max_default), since 3.0 what fits. */
interface TgiRelease {
  readonly promises: number;
  readonly sizesPass: boolean;
}

const RELEASES: readonly [Release<TgiRelease>, ...Release<TgiRelease>[]] = [
  { since: '3.0', value: { promises: Infinity, sizesPass: true } },
  { since: '0', value: { promises: 4096, sizesPass: false } },
];

/** After a warm-up pass it fills the share except for a tenth. */
function engineIn(release: string): Engine {
  const { promises, sizesPass } = inRelease(RELEASES, release);
  return {
    title: 'Text Generation Inference',
    source: 'text-generation-inference, server/models/flash_causal_lm.py, warmup; launcher/src/main.rs',
    shareKey: 'cuda-memory-fraction',
    lengthKey: 'max-total-tokens',
    share: 1,
    // Before 3.0: max_input_tokens + 50.
    prefillTokens: (target, context, pass) => (sizesPass ? passOf(target, pass) : context + 49),
    promised: positions => Math.min(positions, promises),
    sequences: () => 128,
    block: 1,
    // custom_modeling: “`num_heads` must be divisible by `num_shards`”.
    checks: ['heads'],
    says: WORDS,
    ...(sizesPass && { cutsUnstated: true as const }),
    cacheBytes: ({ totalBytes, contextBytes, peakBytes }, share) =>
      share * WIGGLE_ROOM * totalBytes - peakBytes - contextBytes,
    inRelease: engineIn,
  };
}

/** The release that is read without another word. */
const NEWEST_READ = '3.3';

export const tgi: FrameworkProfile<'tgi'> = {
  ...usual,
  id: 'tgi',
  makers: ['NVIDIA', 'AMD', 'Intel'],
  serving: engineIn(NEWEST_READ),
};
