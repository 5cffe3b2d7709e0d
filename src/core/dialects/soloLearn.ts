import type { Dialect } from './dialect';
import { hydraTree } from './engine/hydra/composer';
import { count, countOrNone, word } from './engine/readers';
import { lightningWriters } from './lightningCli/writers';
import { autocastByPrecision, lightningDevices, lightningPrecision } from './shared/lightning';
import { lightningLogs } from './shared/lightningLogs';

const TRAINER = 'lightning trainer/trainer.py; solo-learn passes its keys on';
const ARGS = 'solo-learn 9187ea3 solo/args/pretrain.py';

const text = (value: unknown) => (typeof value === 'string' ? { ok: value } : null);

/** vturrisi/solo-learn 9187ea3: Hydra around a Lightning Trainer, whose arguments stand at the top. */
export const soloLearn: Dialect = {
  id: 'solo-learn',
  title: 'solo-learn',
  role: 'run',
  framework: { name: 'solo-learn', version: '1.0.6', libraries: { lightning: '2.0' } },
  loader: 'omegaconf',
  signature: {
    strong: ['method_kwargs.*', 'optimizer.classifier_lr'],
    medium: [
      'method',
      'backbone.name',
      'optimizer.batch_size',
      'data.dataset',
      'auto_resume.*',
      'momentum.*',
    ],
    weak: ['max_epochs', 'precision', 'strategy', 'devices', 'defaults[]', 'hydra.*'],
    against: [],
    least: 7,
  },
  quantities: {
    model: { keys: ['backbone.name'], read: word },
    task: run => run.byCode('self_supervised', 'solo-learn solo/methods'),
    method: run => run.byCode('full', 'solo-learn solo/methods/base.py'),
    microBatchSize: { keys: ['optimizer.batch_size'], read: count },
    gradAccum: {
      keys: ['accumulate_grad_batches'],
      read: count,
      absent: { value: 1, source: TRAINER },
      near: ['precision', 'max_epochs'],
    },
    precision: { keys: ['precision'], read: lightningPrecision, absent: { value: 'fp32', source: TRAINER } },
    precisionRaw: {
      keys: ['precision'],
      read: value => (typeof value === 'object' ? null : { ok: String(value) }),
    },
    loadDtype: run => run.byDefault('fp32', 'torch: modules are made in fp32'),
    quantization: run => run.byCode<never>(null, 'solo-learn solo/methods'),
    optimizer: { keys: ['optimizer.name'], read: word },
    gradientCheckpointing: run => run.unknown('solo-learn checkpoints no layers by a key.'),
    devices: { keys: ['devices'], read: lightningDevices, absent: { value: 'auto', source: TRAINER } },
    nodes: { keys: ['num_nodes'], read: count, absent: { value: 1, source: `${ARGS}: num_nodes` } },
    accelerator: { keys: ['accelerator'], read: text, absent: { value: 'auto', source: TRAINER } },
    strategy: { keys: ['strategy'], read: text, absent: { value: 'auto', source: TRAINER } },
    imageSize: run => {
      const size = run.has('augmentations[0].crop_size') ? run.count('augmentations[0].crop_size') : null;
      return size === null
        ? run.unknown('The crops are in a file of augmentations that is not among these.')
        : run.at('augmentations[0].crop_size', [size, size]);
    },
    numWorkers: { keys: ['data.num_workers'], read: countOrNone, absent: { value: 4, source: ARGS } },
  },
  details: { autocast: autocastByPrecision },
  writers: lightningWriters(''),
  launch: [
    {
      argv: ['python', 'main_pretrain.py', '--config-path', '{folder}', '--config-name', '{name}'],
      source: 'solo-learn README: main_pretrain.py',
    },
  ],
  logs: lightningLogs,
  compose: hydraTree,
  help: {
    'optimizer.batch_size': {
      text: 'Images of one batch on each GPU, though it stands with the optimizer. Every image is seen in several crops.',
    },
    'backbone.name': { text: 'The network that is trained; methods with momentum hold a second copy of it.' },
    precision: {
      text: '`16-mixed` keeps fp32 weights and autocasts: activations halve.',
      values: ['32', '16-mixed', 'bf16-mixed'],
    },
    devices: {
      text: 'GPUs of each node, by number or by index. The learning rate is scaled with their number.',
    },
    accumulate_grad_batches: { text: 'Batches added up before the optimizer steps.', byDefault: '1' },
  },
};
