import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import type { ValueReader } from './engine/readers';
import type { RunReader } from './engine/runReader';
import type { Plain } from '../yaml/scalars';
import { autocastByPrecision } from './shared/lightning';
import { items, largestSquare, textOf, sentence, shareOf, wholeModel, writesGlobal } from './shared/vision';

const SOURCE = 'ultralytics/cfg/default.yaml';

function devicesSaid(run: RunReader): readonly Plain[] {
  const device = run.value('device');
  const listed = items(device) ?? (typeof device === 'string' ? device.split(',') : [device]);
  return listed.filter(one => one !== null && one !== '');
}

/** `device`: nothing is the first GPU, a number is an index, a list is several, −1 the idlest one. */
function devicesOf(run: RunReader): Quantity<number> {
  const device = run.value('device');
  const said = devicesSaid(run);
  if (said.length === 0) return run.derived(1, ['device'], 'device: null is the first GPU');
  if (isHost(run)) return run.derived(0, ['device'], `device: ${textOf(device)} is no GPU of CUDA’s`);
  return run.derived(said.length, ['device'], `${said.length} in device: ${textOf(device)}`);
}

const isHost = (run: RunReader): boolean => /^(?:cpu|mps|npu|xpu)/.test(textOf(run.value('device')));

const TASKS: Readonly<Record<string, string>> = {
  detect: 'object_detection',
  obb: 'object_detection',
  segment: 'segmentation',
  classify: 'image_classification',
  pose: 'pose',
};

function task(run: RunReader): Quantity<string> {
  const mode = run.word('mode') ?? 'train';
  if (mode !== 'train') return run.at('mode', 'infer');
  const said = run.word('task');
  if (said === null) return run.byDefault('object_detection', `${SOURCE}: task is detect`);
  return run.at('task', TASKS[said] ?? said);
}

/** engine/trainer.py: a batch that is smaller than `nbs` is gathered up to it. */
function gradAccum(run: RunReader): Quantity<number> {
  const batch = run.get('globalBatchSize').value;
  if (batch === null) return run.unknown('The batch is chosen when training starts.');
  const nominal = run.count('nbs') ?? 64;
  return run.derived(
    Math.max(Math.round(nominal / batch), 1),
    ['globalBatchSize'],
    `nbs ${nominal} ÷ batch ${batch}, rounded`,
  );
}

function evalBatchSize(run: RunReader): Quantity<number> {
  const micro = run.get('microBatchSize').value;
  if (micro === null) return run.unknown('The batch is not known.');
  const once = run.word('task') === 'obb';
  return run.derived(
    once ? micro : micro * 2,
    ['microBatchSize'],
    once ? 'as in training' : 'twice the batch',
  );
}

function effectiveBatch(run: RunReader): Quantity<number> {
  const batch = run.get('globalBatchSize').value;
  const steps = run.get('gradAccum').value;
  if (batch === null || steps === null) return run.unknown('The batch is chosen when training starts.');
  return run.derived(batch * steps, ['globalBatchSize', 'gradAccum'], `batch ${batch} × ${steps}`);
}

const batch: ValueReader<number> = value => {
  const said = typeof value === 'string' ? Number(value) : value;
  if (typeof said === 'number' && said < 1) {
    return { left: `is ${said}: AutoBatch tries out how much fits on the GPU` };
  }
  return count(value);
};

const precision: ValueReader<string> = value => {
  if (value === 'bf16') return { ok: 'bf16-mixed' };
  if (value === 'fp32') return { ok: 'fp32' };
  const read = flag(value);
  return read !== null && 'ok' in read ? { ok: read.ok ? 'fp16-mixed' : 'fp32' } : read;
};

/** YOLO by Ultralytics; facts of its settings, defaults and trainer (8.3). */
export const ultralytics: Dialect = {
  id: 'ultralytics',
  title: 'Ultralytics YOLO',
  role: 'run',
  framework: { name: 'ultralytics', version: '8.3.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['imgsz'],
    medium: [
      'mosaic',
      'close_mosaic',
      'model~\\.(pt|yaml)$',
      'task~^(detect|segment|classify|pose|obb)$',
      'mode~^(train|val|predict|export|track|benchmark)$',
      'lr0',
      'lrf',
      'nbs',
      'warmup_bias_lr',
      'overlap_mask',
    ],
    weak: [
      'batch',
      'device',
      'amp',
      'workers',
      'data~\\.ya?ml$',
      'box',
      'dfl',
      'hsv_h',
      'fliplr',
      'patience',
    ],
    against: ['names', 'nc', 'backbone', 'MODEL', 'trainer.*', 'train.*', 'defaults'],
    needs: ['imgsz', 'batch', 'model'],
    least: 5,
  },
  quantities: {
    ...wholeModel('ultralytics/engine/trainer.py'),
    model: { keys: ['model'], read: word },
    task,
    globalBatchSize: { keys: ['batch'], read: batch, absent: { value: 16, source: SOURCE } },
    microBatchSize: shareOf,
    gradAccum,
    effectiveBatch,
    evalBatchSize,
    imageSize: {
      keys: ['imgsz'],
      read: largestSquare,
      absent: { value: [640, 640], source: SOURCE },
      write: ([width]) => width,
    },
    precision: run => {
      if (isHost(run)) return run.byCode('fp32', 'ultralytics/engine/trainer.py: AMP is for CUDA only');
      const said = run.read('amp', precision);
      return said === null ? run.byDefault('fp16-mixed', `${SOURCE}: amp is True`) : run.at('amp', said);
    },
    precisionRaw: run =>
      run.has('amp') ? run.at('amp', `amp: ${textOf(run.value('amp'))}`) : run.unknown('amp is not set.'),
    optimizer: { keys: ['optimizer'], read: word, absent: { value: 'auto', source: SOURCE } },
    devices: devicesOf,
    // `device` lists the GPUs of one machine; several are started by hand, and no key says so.
    nodes: run =>
      isHost(run) || devicesSaid(run).length === 0
        ? run.byDefault(1, 'ultralytics/engine/trainer.py: one process without a device, on cpu and on mps')
        : run.unknown('No key says on how many machines it is started.'),
    gpus: run => {
      const devices = run.get('devices').value;
      return typeof devices === 'number'
        ? run.derived(devices, ['devices'], 'the GPUs of one machine')
        : run.unknown('The number of GPUs is not in the files.');
    },
    accelerator: run =>
      isHost(run) ? run.at('device', textOf(run.value('device'))) : run.byDefault('cuda', SOURCE),
    strategy: run => {
      const devices = run.get('devices').value;
      return typeof devices === 'number' && devices > 1
        ? run.derived('ddp', ['devices'], 'several devices are started with torch.distributed.run')
        : run.none('one process');
    },
    numWorkers: run => {
      if (isHost(run)) return run.byCode(0, 'ultralytics/engine/trainer.py: no workers on cpu and mps');
      const workers = run.read('workers', countOrNone);
      return workers === null ? run.byDefault(8, SOURCE) : run.at('workers', workers);
    },
    compile: { keys: ['compile'], read: flag, absent: { value: false, source: SOURCE } },
  },
  details: {
    autocast: autocastByPrecision,
    averagedWeights: run =>
      run.byCode(true, 'ultralytics/engine/trainer.py: self.ema = ModelEMA(self.model)'),
    evaluates: run => run.byDefault(run.flag('val') ?? true, `${SOURCE}: val is True`),
  },
  writers: {
    ...writesGlobal('batch'),
    gradAccum: sentence('Ultralytics gathers batches up to nbs by itself.'),
    precision: to =>
      /^(?:fp16|fp32)/.test(to)
        ? { ok: true, writes: [{ key: 'amp', value: to !== 'fp32', near: ['batch', 'imgsz'] }] }
        : { ok: false, why: 'AMP of Ultralytics is fp16.' },
  },
  launch: [
    {
      argv: ['yolo', 'cfg={config}'],
      source: 'ultralytics/cfg/__init__.py: cfg= replaces default.yaml',
    },
  ],
  logs: [
    {
      pattern: String.raw`^\s*(?<epoch>\d+)/(?<epochs>\d+)\s+(?<reservedGiB>[\d.]+)G\s`,
      fields: ['epoch', 'epochs', 'reservedGiB'],
      example: '      1/100      12.8G      1.037      1.402      1.083         28        640: 60%',
      source: 'ultralytics/engine/trainer.py: torch.cuda.memory_reserved of rank 0',
    },
  ],
  help: {
    batch: {
      text: 'Images of one step over all GPUs together. -1 tries sizes up to 60 % of the GPU’s memory, a fraction up to that share.',
      byDefault: '16',
    },
    nbs: { text: 'Images of a nominal step: smaller batches are accumulated up to it.', byDefault: '64' },
    imgsz: { text: 'Side of images: activations grow with its square.', byDefault: '640' },
    multi_scale: { text: 'Sizes up to this share above `imgsz` are drawn: the largest decides the memory.' },
    device: { text: 'GPUs by their indices: `0,1` are two, `0` is the first.' },
    amp: { text: 'Autocast in fp16, after a check.', values: ['True', 'False'], byDefault: 'True' },
    optimizer: {
      text: 'Optimizer: AdamW keeps two states a parameter, SGD one.',
      values: ['auto', 'SGD', 'Adam', 'AdamW', 'NAdam', 'RAdam', 'RMSProp'],
      byDefault: 'auto',
    },
    cache: {
      text: 'Keeps images in the host’s memory (`ram`) or beside the data (`disk`): nothing on the GPU.',
      values: ['False', 'ram', 'disk'],
      byDefault: 'False',
    },
    workers: { text: 'Processes of each GPU that load data, on the host only.', byDefault: '8' },
    freeze: { text: 'Layers without gradients and states.' },
    half: { text: 'fp16 in validation and prediction only.', values: ['True', 'False'], byDefault: 'False' },
    workspace: { text: 'GiB that TensorRT may take at export only.' },
    rect: {
      text: 'Batches of like proportions: less padding.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
    compile: {
      text: 'torch.compile: fused kernels keep less for backward.',
      values: ['True', 'False'],
      byDefault: 'False',
    },
  },
};
