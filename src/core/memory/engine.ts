import type { Target } from '../hardware/gpu';
import type { ModelFacts } from '../models/model';
import type { ServedExtras } from '../spec/values';

/** Facts from the profiling pass when an engine asks for the remaining memory; all in bytes. */
export interface Profile {
  /** The device's memory, as CUDA counts it. */
  readonly totalBytes: number;
  /** CUDA context, outside torch's counters. */
  readonly contextBytes: number;
  /** Kernels that the pass loads, and buffers for communication between GPUs, outside torch's counters. */
  readonly besideTorchBytes: number;
  /** CUDA graphs, which are captured after the cache is allocated. */
  readonly graphsBytes: number;
  readonly weightsBytes: number;
  /** Torch's peak in a pass over the engine's largest number of tokens, including weights. */
  readonly peakBytes: number;
}

/**
 * What an engine does at startup before it allocates its cache, in the release that runs. Absent from engines whose
 * startup was not read.
 */
export interface StartUp {
  /** Bytes per logit that the sampler holds at once when it is warmed up, the model's own logits included. */
  readonly samplerBytesPerLogit: number;
  /** The sampler keeps a row of fp32 logits for each multiprocessor. */
  readonly samplerKeepsRows: boolean;
  /** Kernels that the first pass loads, in MiB. */
  readonly kernelsMiB: number;
  /** The engine refuses to start where less is free than its share asks for. */
  readonly checksFree?: boolean;
  /** Graphs come out of the share, not on top of it. */
  readonly countsGraphs?: boolean;
  /** Its log counts the cache in requests of the promised length, not in blocks. */
  readonly countsRequests?: boolean;
  /** Room for adapters comes on top of the share: the profile begins after it. */
  readonly omitsAdapters?: boolean;
  /** Experts get adapters, too. */
  readonly adaptsExperts?: boolean;
  /** Graphs are captured with adapters and without. */
  readonly capturesTwice?: boolean;
  /** Buffers for communication, in MiB, if tensor ranks share the model. */
  communicationMiB(target: Target | null): number;
}

/** What an engine computes its own share from. */
export interface ShareFacts {
  /** Of the smallest GPU, as its driver counts it. */
  readonly totalMiB: number;
  readonly tensorRanks: number;
  /** Tensor ranks times stages. */
  readonly ranks: number;
  /** Copies of attention among the tensor ranks. */
  readonly attentionCopies: number;
  /** Tokens of a pass; null: the engine's default. */
  readonly chunk: number | null;
  readonly model: ModelFacts;
}

/** What an engine sizes its first pass by, besides the GPU. */
export interface PassFacts {
  readonly model: ModelFacts;
  readonly tensorRanks: number;
  /** Null: the engine's own. */
  readonly share: number | null;
}

/** A setting that does not suit the model: see `Refusal`. */
export type ModelCheck = 'length' | 'heads' | 'vocabulary';

/** An engine's own words for why it does not start; `{length}`: the promised length. */
export interface EngineWords {
  /** The cache holds less than one request. */
  readonly tooSmall: string;
  /** Nothing is left for it. */
  readonly nothing: string;
  /** What it calls the longest sequence, and the variable that turns the check off; absent: it does not check it. */
  readonly length?: { readonly name: string; readonly override: string };
}

/** A server that takes a share of a GPU at startup, and fills the memory left by its model with keys and values. */
export interface Engine {
  readonly title: string;
  /** The source: file and commit. */
  readonly source: string;
  /** The key of the share. */
  readonly shareKey: string;
  /** The key of the longest sequence. */
  readonly lengthKey: string;
  /** The default share; null: the engine computes it by `ownShare`, or in a way that is not modeled. */
  readonly share: number | null;
  /** The share that the engine computes for itself; absent: it has a fixed one. */
  ownShare?(facts: ShareFacts): number;
  /** The default number of tokens per pass; `context`: the longest promised sequence. */
  prefillTokens(target: Target | null, context: number, pass: PassFacts): number;
  /** The length that it promises without its key, of the model's positions; absent: all of them. */
  promised?(positions: number): number;
  /** The default number of concurrent sequences. */
  sequences(target: Target | null): number;
  /** Tokens whose keys and values are allocated and freed together. */
  readonly block: number;
  /** Layers with a window take less: they share memory in groups. */
  readonly groupsLayers?: true;
  /** Layers with a window keep as much as all others, where a model has both. */
  readonly ignoresWindows?: boolean;
  readonly startUp?: StartUp;
  /** Buffers for communication, in MiB, if tensor ranks share the model; for engines whose startup was not read. */
  communicationMiB?(target: Target | null): number;
  /** What it checks against the model before it loads it, or while it does. */
  readonly checks?: readonly ModelCheck[];
  /** What it says where it does not start. */
  readonly says?: EngineWords;
  /** Data-parallel ranks have the experts together, whole or in slices, and a copy of everything else. */
  readonly sharesExperts?: true;
  /** Weights are at most 16 bits wide, whatever the checkpoint has. */
  readonly halvesWeights?: true;
  /** Models whose attention looks both ways have no keys and values to keep, so that the share decides nothing. */
  readonly encodersKeepNone?: boolean;
  /** It starts with any room for keys and values, and cuts requests at what the cache holds. */
  readonly cutsRequests?: true;
  /** It does so only where no length is stated. */
  readonly cutsUnstated?: true;
  /** Latent attention keeps 16-bit copies of a projection, if it is quantized or always; absent: not known. */
  readonly copiesLatents?: 'quantized' | 'always';
  /** Bytes of scales next to each head's key, and next to its value, where they have so many bits; absent: none. */
  cacheScaleBytes?(bits: number): number;
  /** Bytes for keys and values. */
  cacheBytes(profile: Profile, share: number): number;
  /** The engine as it is in a release; absent: all releases that were read are alike. */
  inRelease?(release: string): Engine;
}

/** An engine with its settings. */
export interface Serving {
  readonly engine: Engine;
  readonly share: number;
  readonly sequences: number;
  /** The longest promised sequence. */
  readonly context: number;
  /** The run states it. */
  readonly isStated: boolean;
  /** Most tokens of the cache, if the run caps it. */
  readonly mostTokens: number | null;
  /** Ranks that share each layer. */
  readonly tensorRanks: number;
  /** Ranks of a pipeline, each with a part of the layers. */
  readonly stages: number;
  /** No CUDA graphs are captured. */
  readonly isEager: boolean;
  /** The run says how long sequences may be, whatever the model's positions. */
  readonly overridesLength: boolean;
  /** Adapters, drafts and weights on the host; null: none. */
  readonly extras: ServedExtras | null;
  /** The model that drafts tokens, if it was found; null: none, or unknown. */
  readonly draftModel: ModelFacts | null;
}
