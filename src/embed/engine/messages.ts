import type { Pooling } from '../folder/pooling';
import type { PackedBatch } from './batches';

/** Where sums are done, as onnxruntime calls it. */
export type Device = 'cpu' | 'cuda' | 'dml' | 'coreml' | 'webgpu';

/** What a worker is told when it starts. */
export interface WorkerSetup {
  readonly onnx: string;
  readonly device: Device;
  readonly poolings: readonly Pooling[];
  readonly normalize: boolean;
  readonly dimensions: number | null;
}

/** Null instead of one: nothing more will come. */
export interface WorkerTask {
  readonly id: number;
  readonly batch: PackedBatch;
}

export type WorkerAnswer =
  | { readonly kind: 'ready'; readonly dimensions: number | null }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly vectors: Float32Array<ArrayBuffer>;
      readonly size: number;
    }
  | {
      readonly kind: 'failed';
      readonly id: number | null;
      readonly why: string;
      readonly outOfMemory: boolean;
    };
