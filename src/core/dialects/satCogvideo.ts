import type { LoraSettings, Method } from '../spec/values';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, oneOf, word } from './engine/readers';
import { madeFor, onCuda, pixels, wholeModel } from './shared/vision';
import { satForm } from '../data/forms/trainers';

/** CogVideo's training on SwissArmyTransformer; sources are files of THUDM/CogVideo e519ece (sat). */
export const satCogvideo: Dialect = {
  id: 'sat-cogvideo',
  title: 'CogVideo (SAT)',
  role: 'run',
  framework: { name: 'cogvideo-sat', version: 'e519ece' },
  loader: 'omegaconf',
  signature: {
    strong: ['args.model_parallel_size', 'model.network_config.*'],
    medium: [
      'args.checkpoint_activations',
      'deepspeed.train_micro_batch_size_per_gpu',
      'args.experiment_name',
      'args.latent_channels',
      'args.force_inference',
      'model.conditioner_config.*',
    ],
    weak: ['args.num_workers', 'args.bf16'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('sat/train_video.py'),
    loadDtype: run => run.unknown('The engine’s 16-bit section decides.'),
    method: run => {
      const key = 'model.network_config.params.modules.lora_config';
      if (run.has(key)) return run.at<Method>(key, 'lora');
      if (run.has('model')) return run.byDefault<Method>('full', 'sat/configs: no lora_config');
      return run.unknown('The model’s config, which is given first on the command line, says it.');
    },
    lora: run => {
      const key = 'model.network_config.params.modules.lora_config.params.r';
      const r = run.count(key);
      if (r === null) return run.none('no lora_config');
      return run.at<LoraSettings>(key, {
        r,
        alpha: null,
        dropout: null,
        targets: null,
        modulesToSave: [],
        rslora: false,
        dora: false,
      });
    },
    model: { keys: ['model.network_config.target'], read: word },
    task: madeFor('denoising', 'sat/train_video.py'),
    microBatchSize: { keys: ['deepspeed.train_micro_batch_size_per_gpu'], read: count },
    gradAccum: {
      keys: ['deepspeed.gradient_accumulation_steps'],
      read: count,
      absent: { value: 1, source: 'deepspeed runtime/config.py' },
    },
    evalBatchSize: { keys: ['args.eval_batch_size'], read: count },
    seqLen: {
      keys: ['data.params.max_num_frames'],
      unit: 'frames',
      read: count,
    },
    imageSize: { keys: ['data.params.video_size'], read: pixels('hw') },
    precision: run => {
      const half = (['bf16', 'fp16'] as const).find(name => run.flag(`deepspeed.${name}.enabled`));
      if (half) return run.at(`deepspeed.${half}.enabled`, half);
      return run.has('deepspeed')
        ? run.byDefault('fp32', 'deepspeed runtime/config.py')
        : run.unknown('No deepspeed section.');
    },
    precisionRaw: run => {
      const half = ['bf16', 'fp16'].find(name => run.flag(`deepspeed.${name}.enabled`));
      return half === undefined
        ? run.unknown('Neither bf16 nor fp16 is enabled.')
        : run.at(`deepspeed.${half}.enabled`, `deepspeed.${half}.enabled True`);
    },
    optimizer: { keys: ['deepspeed.optimizer.type'], read: word },
    gradientCheckpointing: {
      keys: ['args.checkpoint_activations'],
      read: flag,
    },
    zeroStage: {
      keys: ['deepspeed.zero_optimization.stage'],
      read: oneOf<0 | 1 | 2 | 3>({ '0': 0, '1': 1, '2': 2, '3': 3 }),
    },
    strategy: run => {
      const stage = run.count('deepspeed.zero_optimization.stage');
      return stage === null
        ? run.unknown('No ZeRO stage is set.')
        : run.at('deepspeed.zero_optimization.stage', `zero${stage}`);
    },
    accelerator: onCuda('sat/train_video.py'),
    numWorkers: { keys: ['args.num_workers'], read: countOrNone },
  },
  details: {
    frames: run => {
      const frames = run.count('data.params.max_num_frames');
      return frames === null
        ? run.unknown('max_num_frames is not set.')
        : run.at('data.params.max_num_frames', frames);
    },
  },
  launch: [
    {
      argv: [
        'torchrun',
        '--standalone',
        '--nproc_per_node={gpus}',
        'train_video.py',
        '--base',
        'model.yaml',
        '{config}',
      ],
      source: 'CogVideo sat/README.md: the model’s file and that of training together',
    },
  ],
  logs: [satForm],
  help: {
    'deepspeed.train_micro_batch_size_per_gpu': { text: 'Clips of one forward pass on each GPU.' },
    'deepspeed.gradient_accumulation_steps': { text: 'Batches added up before a step.' },
    'args.checkpoint_activations': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['True', 'False'],
      byDefault: 'True',
    },
    'data.params.video_size': { text: 'Height and width of a frame, in pixels.' },
    'data.params.max_num_frames': { text: 'Frames of a clip.' },
    'deepspeed.zero_optimization.stage': {
      text: 'What GPUs share: 1 the optimizer’s states, 2 gradients as well, 3 weights too.',
      values: ['0', '1', '2', '3'],
    },
    'deepspeed.bf16.enabled': { text: 'Weights and products in bf16.', values: ['True', 'False'] },
    'args.model_parallel_size': { text: 'GPUs that share each layer’s matrices.' },
  },
};
