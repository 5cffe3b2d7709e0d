import type { Dialect } from './dialect';
import { API, LOCAL, SECTIONS } from './embeddings/sections';
import {
  accelerator,
  batch,
  devices,
  loadDtype,
  model,
  precision,
  precisionRaw,
  seqLen,
  workers,
} from './embeddings/rules';
import { embeddingsHelp } from './embeddings/help';
import { embeddingsLogs } from './embeddings/output';
import { deviceMapAt } from './shared/deviceMap';
import { embeddingsWriters } from './embeddings/writers';

const inSections = (...keys: readonly string[]): string[] =>
  SECTIONS.flatMap(section => keys.map(key => `${section}.${key}`));

const MODELS = [
  ...inSections('model', 'model_name', 'model_id', 'model_path', 'path', 'name').map(
    key => `${key}~${LOCAL}`,
  ),
  `embedding_model~${LOCAL}`,
];

/**
 * Pipelines that embed texts with a model on this machine: sentence-transformers 85ec645, txtai 20f818f, private-gpt
 * ab89a0d and their like. A section that asks a provider over the network is none: its batches take no GPU.
 */
export const embeddings: Dialect = {
  id: 'embeddings',
  title: 'Embedding pipeline',
  role: 'run',
  framework: { name: 'sentence-transformers', version: '5.2' },
  loader: 'pyyaml',
  signature: {
    strong: MODELS,
    medium: inSections(
      'device',
      'batch_size',
      'encode_batch_size',
      'encodebatch',
      'embed_batch_size',
      'inference_batch_size',
      'gpu_batch_size',
      'gpu',
      'max_seq_length',
      'normalize_embeddings',
      'use_fp16',
    ),
    weak: inSections('dtype', 'torch_dtype', 'normalize', 'trust_remote_code', 'max_length'),
    against: [
      ...inSections('provider', 'type', 'mode', 'vendor', 'backend').map(key => `${key}~${API}`),
      ...inSections('api_key', 'api_base', 'base_url', 'deployment_name', 'azure_endpoint'),
      'trainer.*',
      'optimizer.*',
      'train.*',
      'training.*',
      'train_dataset',
    ],
    needs: MODELS,
    least: 6,
  },
  quantities: {
    model,
    task: run => run.derived('embed', ['model'], 'texts are embedded, nothing is trained'),
    method: run => run.none('nothing is trained'),
    microBatchSize: batch,
    gradAccum: run => run.none('nothing is trained'),
    effectiveBatch: run => run.none('nothing is trained'),
    seqLen,
    precision,
    precisionRaw,
    loadDtype,
    quantization: run => run.none('sentence_transformers: the model is loaded as it is'),
    optimizer: run => run.none('nothing is trained'),
    gradientCheckpointing: run => run.none('nothing is trained'),
    attention: run => run.byDefault('sdpa', 'transformers takes sdpa where the model has it'),
    lora: run => run.none('nothing is trained'),
    zeroStage: run => run.none('nothing is trained'),
    fsdp: run => run.none('nothing is trained'),
    offload: run => run.none('nothing is trained'),
    parallel: run => run.none('each device has a copy of the model'),
    devices,
    accelerator,
    strategy: run => run.none('each device has a copy of the model'),
    numWorkers: workers,
  },
  details: {
    paddedRows: run =>
      run.byCode(true, 'sentence_transformers encode(): rows are padded to the longest of a batch'),
    head: run => run.byCode('base', 'sentence_transformers models/Transformer.py: AutoModel'),
    kvCache: run => run.byCode(false, 'sentence_transformers encode(): one pass, no cache is asked for'),
    autocast: run => run.byCode(false, 'sentence_transformers encode() does not autocast'),
    deviceMap: deviceMapAt(...SECTIONS.map(section => `${section}.model_kwargs.`), 'model_kwargs.'),
  },
  writers: embeddingsWriters,
  logs: embeddingsLogs,
  help: embeddingsHelp,
};
