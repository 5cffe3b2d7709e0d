import type { Pooling } from '../folder/pooling';
import type { PackedBatch } from './batches';

/** The device, by onnxruntime's names. */
export type Device = 'cpu' | 'cuda' | 'dml' | 'coreml' | 'webgpu';

/** A worker's input at its start. */
export interface WorkerSetup {
  readonly onnx: string;
  readonly device: Device;
  readonly poolings: readonly Pooling[];
  readonly normalize: boolean;
  readonly dimensions: number | null;
}

/** A task; null instead ends the worker. */
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
