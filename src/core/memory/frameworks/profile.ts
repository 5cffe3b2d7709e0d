import type { GpuFacts } from '../../hardware/gpu';
import type { Framework } from '../../spec/runSpec';
import type { Engine } from '../engine';
import type { Segments } from '../run';
import type { Behavior, LossCode, StaticCache } from './behavior/behavior';

/** The run's settings that a framework's own code depends on. */
export interface CodeSettings {
  readonly framework: Framework;
  readonly modelType: string;
  /** The loss key's value; null: the framework's default. */
  readonly loss: string | null;
  /** torch.compile is requested. */
  readonly compiles: boolean;
  /** The vocabulary is sharded. */
  readonly cutsWords: boolean;
  /** Tensor-parallel ranks split the tokens between products; null: not set. */
  readonly sequenceParallel: boolean | null;
  /** The allocator uses expandable segments; null: the config does not say. */
  readonly expandableSegments: boolean | null;
}

/** The optimizer that a framework creates for a name. */
export interface ChosenOptimizer {
  readonly name: string;
  /** The assumption if the framework decides by something unknown before the run. */
  readonly assumed?: string;
}

/**
 * Everything that the memory model knows about a framework. One file each; nothing outside this folder refers to a
 * framework by name. Defaults are in `usual`.
 */
export interface FrameworkProfile<Id extends string = string> {
  /** The framework's name in dialects. */
  readonly id: Id;
  /**
   * The model code: that of transformers, by release; its own, which keeps the same tensors as the newest
   * transformers; Megatron's one model for all decoders; or its own, which is not modeled.
   */
  readonly models: 'transformers' | 'like transformers' | 'megatron' | 'not modeled';
  /** Families whose code in this framework was read; null: those of transformers. */
  readonly families: ReadonlySet<string> | null;
  /** Makers of the GPUs that its code runs on; `other`: TPUs. */
  readonly makers: readonly GpuFacts['vendor'][];
  /** The default dtype of weights. */
  readonly weights: 'not known' | 'fp32' | 'fp32 where trained';
  /**
   * Linear layers with fp8 compute: not modeled; or they keep 16-bit inputs (torchao), or 8-bit ones (Transformer
   * Engine).
   */
  readonly fp8: 'not modeled' | 'keeps 16 bits' | 'keeps 8 bits';
  /**
   * What tensor parallelism splits: heads and inner widths, the vocabulary too, or everything that Megatron splits.
   */
  readonly tensorParallel: 'heads' | 'heads and words' | 'megatron';
  /**
   * How masters, states and gradients are held: as configured (FSDP, ZeRO, DDP), always by FSDP over several GPUs, or by
   * Megatron's optimizer.
   */
  readonly sharding: 'as configured' | 'always' | 'megatron';
  /** The FSDP with which it always shards. */
  fsdp(framework: Framework): 1 | 2;
  /** A pipeline divides the config's batch into micro-batches, and keeps parameters gathered between them. */
  readonly pipelineDividesBatch: boolean;
  /** Preference trainers disable all dropout by default, including that of adapters. */
  readonly silencesDropout: boolean;
  /** The step of its GKD trainer is modeled. */
  readonly distills: boolean;
  /** The loss of its preference trainers for any release of TRL; null: TRL's. */
  readonly pairLoss: LossCode | null;
  /** The release of TRL that its preference trainers use by default; null: unknown. */
  readonly pairTrl: string | null;
  /** PPO divides logits by the temperature in place, or in a copy. */
  readonly ppoLogits: 'in place' | 'copies';
  /** Only layers with trained parts are checkpointed. */
  readonly checkpointsTrainedLayers: boolean;
  /** The preallocated cache for its generation, if any. */
  readonly staticCache: StaticCache | null;
  /** The run's processes are Python with torch, so their host RAM is known. */
  readonly isPython: boolean;
  /** The engine that serves models; null: the model's own code generates. */
  readonly serving: Engine | null;
  /** The default loss (`lossCode.ts`). */
  loss(framework: Framework): string;
  /** Compiling a run compiles its loss too. */
  compilesLoss(framework: Framework): boolean;
  /** The optimizer of a name in lower case. */
  optimizer(name: string, framework: Framework): ChosenOptimizer;
  /** The interpretation of a config's checkpointed segments; null: every block is checkpointed. */
  segments(modelType: string, stated: Segments): Segments | null;
  /** The framework's own behavior, as changes to that of a run on transformers. */
  behavior(settings: CodeSettings, usual: Behavior): Partial<Behavior>;
}

/** A script on transformers without a trainer; also used for unknown frameworks. */
export const usual: FrameworkProfile = {
  id: '',
  models: 'transformers',
  families: null,
  // What PyTorch's own release supports; its XLA backend needs code of its own.
  makers: ['NVIDIA', 'AMD', 'Intel', 'Apple'],
  weights: 'not known',
  fp8: 'not modeled',
  tensorParallel: 'heads',
  sharding: 'as configured',
  fsdp: () => 2,
  pipelineDividesBatch: false,
  silencesDropout: false,
  distills: false,
  pairLoss: null,
  pairTrl: null,
  ppoLogits: 'copies',
  checkpointsTrainedLayers: false,
  staticCache: null,
  isPython: true,
  serving: null,
  loss: () => 'standard',
  compilesLoss: () => true,
  optimizer: name => ({ name }),
  segments: (_modelType, stated) => stated,
  behavior: () => ({}),
};
