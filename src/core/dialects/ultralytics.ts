import { builtIn } from './defined/compile';
import file from './ultralytics.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { count, countOrNone, flag } from './engine/readers';
import type { ValueReader } from './engine/readers';
import type { RunReader } from './engine/runReader';
import type { Plain } from '../yaml/scalars';
import { autocastByPrecision } from './shared/lightning';
import { items, largestSquare, textOf, sentence, shareOf, writesGlobal } from './shared/vision';

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
export const ultralytics: Dialect = builtIn(file, {
  quantities: {
    task,
    globalBatchSize: { read: batch },
    microBatchSize: shareOf,
    gradAccum,
    effectiveBatch,
    evalBatchSize,
    imageSize: {
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
});
