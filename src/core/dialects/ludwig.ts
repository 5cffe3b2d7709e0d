import type { Dialect } from './dialect';
import { flag, word } from './engine/readers';
import {
  evalBatch,
  gradAccum,
  head,
  lora,
  method,
  microBatch,
  model,
  offload,
  precision,
  quantization,
  strategy,
  task,
  workers,
  zeroStage,
} from './ludwig/rules';
import { ludwigFiles } from './ludwig/output';
import { plainTraining } from './shared/toolkit';
import { count } from './engine/readers';

const SCHEMA = 'ludwig/schema/trainer.py';

/** Ludwig's configs; sources are files of ludwig-ai/ludwig 5d19f3e. */
export const ludwig: Dialect = {
  id: 'ludwig',
  title: 'Ludwig',
  role: 'run',
  framework: { name: 'ludwig', version: '0.11' },
  loader: 'pyyaml',
  signature: {
    strong: ['input_features[].name', 'output_features[].name', 'input_features[].type'],
    medium: ['trainer.*', 'combiner.*', 'backend.*', 'preprocessing.*', 'base_model'],
    weak: ['model_type'],
    against: [],
    needs: ['output_features[].name'],
    least: 8,
  },
  quantities: {
    ...plainTraining('ludwig/trainers/trainer.py'),
    model,
    task,
    method,
    lora,
    quantization,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    gradAccum,
    seqLen: {
      keys: [
        'preprocessing.global_max_sequence_length',
        'input_features[0].preprocessing.max_sequence_length',
      ],
      read: count,
    },
    precision,
    optimizer: { keys: ['trainer.optimizer.type', 'trainer.optimizer'], read: word },
    gradientCheckpointing: {
      keys: ['trainer.enable_gradient_checkpointing'],
      read: flag,
      absent: { value: false, source: `${SCHEMA} L444: enable_gradient_checkpointing is False` },
    },
    zeroStage,
    offload,
    strategy,
    accelerator: run => {
      const key = 'backend.trainer.use_gpu';
      const on = run.flag(key);
      return on === null
        ? run.byDefault('auto', 'ludwig/backend: a GPU if there is one')
        : run.at(key, on ? 'cuda' : 'cpu');
    },
    devices: workers,
    compile: { keys: ['trainer.compile'], read: flag, absent: { value: false, source: SCHEMA } },
  },
  details: { head },
  ...ludwigFiles,
  launch: [
    {
      argv: ['ludwig', 'train', '--config', '{config}', '--dataset', 'data.csv'],
      source: 'ludwig docs: command line',
    },
  ],
  logs: [
    {
      pattern: String.raw`Training:\s+(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[.*?loss=(?<loss>[\d.]+)`,
      bar: true,
      fields: ['percent', 'step', 'steps', 'loss'],
      example: 'Training:  33%|███▎      | 100/300 [00:50<01:40,  2.00it/s, loss=0.45]',
      source: 'ludwig/trainers/trainer.py: tqdm',
    },
  ],
  help: {
    'trainer.batch_size': {
      text: 'Rows of one forward pass of each worker. `auto` tries sizes when the run starts, until memory runs out.',
      byDefault: 'auto (ECD), 1 (LLM)',
    },
    'trainer.gradient_accumulation_steps': { text: 'Batches added up before a step.', byDefault: 'auto' },
    'trainer.effective_batch_size': {
      text: 'Rows of a step: a multiple of the batch, from which accumulation follows.',
    },
    'trainer.eval_batch_size': { text: 'Rows of one pass of evaluation.' },
    'trainer.enable_gradient_checkpointing': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'trainer.use_mixed_precision': {
      text: 'Autocast in fp16: activations of products in 16 bits. Weights, gradients and states stay fp32.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'quantization.bits': { text: 'Frozen weights in 4 or 8 bits, with adapters.', values: ['4', '8'] },
    'adapter.r': { text: 'Rank of the adapters.', byDefault: '8' },
    'preprocessing.global_max_sequence_length': { text: 'Longest row of prompt and answer, in tokens.' },
    'trainer.optimizer.type': {
      text: 'Optimizer: adam keeps two states a parameter, `paged_…` on the host when the GPU is full, `…_8bit` two bytes in all.',
    },
    'backend.trainer.strategy.zero_optimization.stage': {
      text: 'What workers share: 1 the optimizer’s states, 2 gradients as well, 3 weights too.',
    },
  },
};
