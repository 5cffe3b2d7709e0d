import type { ModelFacts } from '../../models/model';
import { inRelease } from '../../spec/version';
import type { Release } from '../../spec/version';
import type { Engine, EngineWords, ShareFacts } from '../engine';
import { communicationMiB } from '../serving/communication';
import { usual } from './profile';
import type { FrameworkProfile } from './profile';

const GIB = 1024;

/** What a server does by default on a GPU of this size. */
interface SizeDefaults {
  /** In MiB, as nvidia-smi counts: GPUs below it. */
  readonly below: number;
  /** chunked_prefill_size. */
  readonly chunk: number;
  /** cuda_graph_max_bs with fewer than 4 tensor ranks, and with more. */
  readonly graphs: readonly [few: number, many: number];
}

const bySize = (small: SizeDefaults['graphs'], smallChunk = 2048): readonly SizeDefaults[] => [
  { below: 20 * GIB, chunk: 2048, graphs: [8, 8] },
  { below: 35 * GIB, chunk: smallChunk, graphs: small },
  { below: 60 * GIB, chunk: 4096, graphs: [32, 160] },
  { below: 160 * GIB, chunk: 8192, graphs: [256, 512] },
  { below: Infinity, chunk: 16_384, graphs: [512, 512] },
];

/** MiB left free for activations and CUDA graphs. */
type Reserve = (facts: ShareFacts) => number;

/** Up to 0.4.7, shares by rank; what they leave, in MiB. */
function byRanks({ totalMiB, ranks }: ShareFacts): number {
  const share = [[16, 0.79] as const, [8, 0.81] as const, [4, 0.85] as const, [2, 0.87] as const].find(
    ([least]) => totalMiB <= 80 * GIB && ranks >= least,
  );
  const [, part = 0.88] = share ?? [];
  const left = (1 - part) * totalMiB;
  return totalMiB > 96 * GIB ? Math.max(left - 48 * GIB * (1 - part), 18 * GIB) : left;
}

/** 0.4.8 to 0.5.2. */
function byCapacity({ totalMiB, ranks, attentionCopies }: ShareFacts): number {
  const copies = attentionCopies > 1 ? 4 * GIB : 0;
  if (totalMiB < 35 * GIB) return (2.8 + ranks / 10) * GIB + copies;
  if (totalMiB < 90 * GIB) return (9.5 + ranks / 2) * GIB + copies;
  return (totalMiB < 160 * GIB ? (12 + ranks / 2) * GIB : 32 * GIB) + copies;
}

/** Copies of attention pad batches, and take more where graphs are captured for many. */
const paddedMiB = (most: number, copies: number): number =>
  copies > 1 ? most * copies * (most > MANY_SEQUENCES ? 4.5 : 3) : 0;

const MANY_SEQUENCES = 300;

/** Since 0.5.3: by the tokens of a chunk and the largest graph. Chunks are at least 2,048 tokens. */
const byTokens =
  (sizes: readonly SizeDefaults[], graphsMiB: (chunk: number, model: ModelFacts) => number): Reserve =>
  facts => {
    const { totalMiB, tensorRanks, ranks, attentionCopies, model } = facts;
    const size = sizeOf(sizes, totalMiB);
    const chunk = facts.chunk ?? size.chunk;
    const [few, many] = size.graphs;
    const most = tensorRanks < 4 ? few : many;
    const graphs = 2 * most + paddedMiB(most, attentionCopies);
    // With copies of attention, prefill has no graphs (_handle_piecewise_cuda_graph).
    const prefill = attentionCopies > 1 ? 0 : graphsMiB(chunk, model);
    const sum = 512 + 1.5 * Math.max(chunk, 2048) + graphs + (ranks / 8) * GIB + prefill;
    return totalMiB > 60 * GIB ? Math.max(sum, 10 * GIB) : sum;
  };

function sizeOf(sizes: readonly SizeDefaults[], totalMiB: number): SizeDefaults {
  const found = sizes.find(({ below }) => totalMiB < below);
  if (!found) throw new RangeError(`No defaults for ${totalMiB} MiB.`);
  return found;
}

/** Sizes of prefill graphs: from and up to these numbers of tokens, in these steps. */
const STEPS = [
  [4, 32, 4],
  [48, 256, 16],
  [288, 512, 32],
  [576, 1024, 64],
  [1280, 4096, 256],
  [4608, Infinity, 512],
] as const;

/** _generate_piecewise_cuda_graph_tokens: how many sizes there are up to a chunk. */
const prefillGraphs = (chunk: number): number =>
  STEPS.reduce((count, [from, to, step]) => {
    const last = Math.min(chunk, to);
    return last < from ? count : count + Math.floor((last - from) / step) + 1;
  }, 0);

const MIB_PER_GRAPH = 8;
const LATENT_MIB = 1.5 * GIB;

/** Latent attention has graphs of its own. */
const piecewise = (chunk: number, { extra }: ModelFacts): number =>
  'kv_lora_rank' in extra ? LATENT_MIB : MIB_PER_GRAPH * prefillGraphs(chunk);

const none = (): number => 0;

const OLD = bySize([8, 8]);
const WIDER = bySize([48, 160], 4096);

/**
 * What changes between releases; srt/server_args.py, since 0.5.19 srt/arg_groups/memory_hook.py, of the packages on PyPI,
 * read at these, 0.4.6, 0.5.12, 0.5.14, 0.5.17 to 0.5.19 and 0.5.23.
 */
const RELEASES: readonly [Release<Rule>, ...Release<Rule>[]] = [
  { since: '0.5.20', value: { sizes: WIDER, reserve: byTokens(WIDER, piecewise) } },
  { since: '0.5.10', value: { sizes: bySize([24, 80]), reserve: byTokens(bySize([24, 80]), piecewise) } },
  { since: '0.5.5', value: { sizes: bySize([24, 80]), reserve: byTokens(bySize([24, 80]), none) } },
  { since: '0.5.3', value: { sizes: bySize([16, 80]), reserve: byTokens(bySize([16, 80]), none) } },
  { since: '0.4.8', value: { sizes: OLD, reserve: byCapacity, checksLength: false } },
  { since: '0', value: { sizes: OLD, reserve: byRanks, checksLength: false } },
];

interface Rule {
  readonly sizes: readonly SizeDefaults[];
  readonly reserve: Reserve;
  /** False: it only warns of a context that is longer than the model's. */
  readonly checksLength?: false;
}

const WORDS: EngineWords = {
  tooSmall: 'a request of {length} tokens is larger than the pool',
  nothing: 'not enough memory, mem_fraction_static is too low',
  length: { name: 'context_length', override: 'SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1' },
};

/** ViT-L/14, which takes a twentieth of the share; twice its weights take a tenth more (adjust_mem_fraction_for_vlm). */
const USUAL_TOWER = { num_hidden_layers: 24, hidden_size: 1024 };

function towerFactor({ extra }: ModelFacts): number {
  const config = extra['vision_config'];
  if (typeof config !== 'object' || config === null) return 1;
  const stated = config as Readonly<Record<string, unknown>>;
  const numberOf = (key: keyof typeof USUAL_TOWER): number => {
    const value = stated[key];
    return typeof value === 'number' ? value : USUAL_TOWER[key];
  };
  const size = numberOf('num_hidden_layers') * numberOf('hidden_size') ** 2;
  const usualSize = USUAL_TOWER.num_hidden_layers * USUAL_TOWER.hidden_size ** 2;
  return 0.95 * Math.max(0.8, Math.min(1.05, 1 - 0.1 * (size / usualSize - 1)));
}

/** The release that is read without another word. */
const NEWEST_READ = '0.5.12';

/** The share is of the free memory before loading, and holds weights and cache; activations are extra. */
function engineIn(release: string): Engine {
  const { sizes, reserve, checksLength } = inRelease(RELEASES, release);
  return {
    title: 'SGLang',
    source: `sglang ${release}, srt/server_args.py; srt/model_executor/model_runner.py, profile_max_num_token`,
    shareKey: 'mem-fraction-static',
    lengthKey: 'context-length',
    share: null,
    ownShare: facts => {
      const share = (facts.totalMiB - reserve(facts)) / facts.totalMiB;
      return Math.round(share * towerFactor(facts.model) * 1000) / 1000;
    },
    prefillTokens: target => sizeOf(sizes, target?.totalMiB ?? 80 * GIB).chunk,
    sequences: () => 256,
    block: 1,
    // models/llama.py, 0.5.6: `assert self.total_num_heads % tp_size == 0`; configs/model_config.py, _derive_context_length.
    checks: checksLength === false ? ['heads'] : ['length', 'heads'],
    says: WORDS,
    // managers/tp_worker.py: max_req_len is the smaller of the context and the pool.
    cutsRequests: true,
    copiesLatents: 'always',
    // model_executor/model_runner.py: free memory is measured after the ranks have found each other. With them, four
    // H100 hold 2 % more tokens than vllm issue 21348 has; without them 13 %.
    communicationMiB,
    cacheBytes: ({ totalBytes, contextBytes, besideTorchBytes, weightsBytes }, share) =>
      share * (totalBytes - contextBytes - besideTorchBytes) - weightsBytes,
    inRelease: engineIn,
  };
}

export const sglang: FrameworkProfile<'sglang'> = {
  ...usual,
  id: 'sglang',
  makers: ['NVIDIA', 'AMD', 'Intel'],
  serving: engineIn(NEWEST_READ),
};
