import type { Framework } from '../../spec/runSpec';
import type { Engine } from '../engine';
import type { Segments } from '../run';
import type { Behavior, LossCode, StaticCache } from './behavior/behavior';

/** What a run asks of a framework's own code. */
export interface AskedOfCode {
  readonly framework: Framework;
  readonly modelType: string;
  /** The word for the loss, as the run has it; null: the framework's own. */
  readonly loss: string | null;
  /** torch.compile is asked for. */
  readonly compiles: boolean;
  /** Each rank has a part of the words. */
  readonly cutsWords: boolean;
  /** Tensor-parallel ranks share the tokens between products; null: the config does not say. */
  readonly sequenceParallel: boolean | null;
  /** The allocator's segments grow; null: the config does not say. */
  readonly expandableSegments: boolean | null;
}

/** The optimizer that a framework's code makes of a name. */
export interface ChosenOptimizer {
  readonly name: string;
  /** What is assumed where the framework decides by something that is not known before the run. */
  readonly assumed?: string;
}

/**
 * All that the memory model knows of one framework. One file each; nothing outside this folder asks for a framework by its
 * name. What a profile does not say is as in `usual`.
 */
export interface FrameworkProfile<Id extends string = string> {
  /** The name that dialects give the framework. */
  readonly id: Id;
  /**
   * Whose model code it runs: that of transformers, by release; its own, which keeps what the newest transformers keeps;
   * Megatron's one model for all decoders; its own, which is not modeled.
   */
  readonly models: 'transformers' | 'like transformers' | 'megatron' | 'not modeled';
  /** Families whose code in this framework was read; null: those of transformers. */
  readonly families: ReadonlySet<string> | null;
  /** What weights are held in where no key says it. */
  readonly weights: 'not known' | 'fp32' | 'fp32 where trained';
  /** Linear layers that compute in fp8: not modeled; they keep 16-bit inputs (torchao), or 8-bit ones (Transformer Engine). */
  readonly fp8: 'not modeled' | 'keeps 16 bits' | 'keeps 8 bits';
  /** What tensor parallelism cuts: heads and inner widths, the vocabulary too, or all that Megatron cuts. */
  readonly tensorParallel: 'heads' | 'heads and words' | 'megatron';
  /** Who holds masters, states and gradients: what the config says (FSDP, ZeRO, DDP), or Megatron's optimizer. */
  readonly sharding: 'as configured' | 'megatron';
  /** A pipeline divides the batch of the config into micro-batches, and gives no parameters back between them. */
  readonly pipelineDividesBatch: boolean;
  /** Trainers of preferences switch all dropout off by default, that of adapters, too. */
  readonly silencesDropout: boolean;
  /** Its GKD trainer's step was read. */
  readonly distills: boolean;
  /** The loss of its preference trainers, whatever the release of TRL; null: TRL's. */
  readonly pairLoss: LossCode | null;
  /** The release of TRL whose preference trainers it uses where no one states one; null: not known. */
  readonly pairTrl: string | null;
  /** PPO divides logits by the temperature where they are, or in a copy. */
  readonly ppoLogits: 'in place' | 'copies';
  /** Only layers of which something is trained are checkpointed. */
  readonly checkpointsTrainedLayers: boolean;
  /** The cache that it generates with, where its size is fixed from the beginning. */
  readonly staticCache: StaticCache | null;
  /** The processes of a run are Python's with torch, so that what they take of the host is known. */
  readonly isPython: boolean;
  /** The engine that serves models; null: the model's own code generates. */
  readonly serving: Engine | null;
  /** The word for the loss where the config has none (`lossCode.ts`). */
  loss(framework: Framework): string;
  /** The optimizer that a name in lower case stands for. */
  optimizer(name: string, framework: Framework): ChosenOptimizer;
  /** What it makes of the checkpointed segments that a config states; null: every block is one. */
  segments(modelType: string, stated: Segments): Segments | null;
  /** What of the behavior is its own, given what a run on transformers would do. */
  behavior(asked: AskedOfCode, usual: Behavior): Partial<Behavior>;
}

/** A script on transformers without a trainer; so is a framework taken of which nothing is known. */
export const usual: FrameworkProfile = {
  id: '',
  models: 'transformers',
  families: null,
  weights: 'not known',
  fp8: 'not modeled',
  tensorParallel: 'heads',
  sharding: 'as configured',
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
  optimizer: name => ({ name }),
  segments: (_modelType, stated) => stated,
  behavior: () => ({}),
};
