import { builtIn } from './defined/compile';
import file from './aiToolkit.yaml';
import type { Quantity } from '../spec/quantity';
import type { LoraSettings, Method, Quantization } from '../spec/values';
import type { Dialect } from './dialect';
import { number } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { dtypeWord } from './shared/words';
import { largestSquare, sentence } from './shared/vision';
import type { Size } from './shared/vision';

const P = 'config.process[0]';
const SOURCE = 'toolkit/config_modules.py';
const MODEL = 'model';

const key = (name: string): string => `${P}.${name}`;

/** The adapter's rank has two names, and a default. */
const RANKS = [key('network.linear'), key('network.rank')] as const;

const isAdapter = (run: RunReader): boolean => run.has(key('network'));

/** Both names of the accumulation are multiplied by nobody: with two of them the job stops. */
function gradAccum(run: RunReader): Quantity<number> {
  const names = [key('train.gradient_accumulation_steps'), key('train.gradient_accumulation')];
  const said = names.find(name => (run.read(name, number) ?? 1) !== 1) ?? names.find(name => run.has(name));
  if (said === undefined) return run.byDefault(1, `${SOURCE} L456`);
  const steps = run.read(said, number) ?? 1;
  return steps < 1 ? run.unknown(`${said} of ${steps} adds up a whole epoch.`) : run.at(said, steps);
}

/** The largest bucket of all data sets. */
function imageSize(run: RunReader): Quantity<Size> {
  const list = run.value(key('datasets'));
  const sets = Array.isArray(list) ? list.map((_, i) => key(`datasets[${i}].resolution`)) : [];
  const stated = sets.filter(one => run.has(one));
  const sizes = stated.flatMap(one => {
    const size = run.read(one, largestSquare);
    return size === null ? [] : [{ one, size }];
  });
  const [largest] = sizes.sort((a, b) => b.size[0] - a.size[0]);
  return largest
    ? run.at(largest.one, largest.size)
    : run.byDefault([512, 512], `${SOURCE}: resolution is 512`);
}

function lora(run: RunReader): Quantity<LoraSettings> {
  if (!isAdapter(run)) return run.none('no network is named: the model itself is trained');
  const r = RANKS.map(one => run.count(one)).find(one => one !== null) ?? null;
  const alpha = run.read(key('network.linear_alpha'), number);
  return run.at([...RANKS, key('network')], {
    r: r ?? 4,
    alpha: alpha ?? r ?? 4,
    dropout: run.read(key('network.dropout'), number) ?? 0,
    targets: null,
    modulesToSave: [],
    rslora: false,
    dora: false,
    ...(run.word(key('network.type')) === 'lokr' && { method: 'lokr' }),
  });
}

/** quanto’s qfloat8 unless the job names another type. */
function quantization(run: RunReader): Quantity<Quantization> {
  if (!run.flag(key(`${MODEL}.quantize`))) return run.none(`${SOURCE} L685: quantize is False`);
  const type = run.word(key(`${MODEL}.qtype`)) ?? 'qfloat8';
  const bits = ([2, 3, 4, 8] as const).find(one => type.includes(String(one))) ?? null;
  return run.at(key(`${MODEL}.quantize`), {
    bits,
    method: 'other',
    type,
    doubleQuant: null,
    computeDtype: null,
    storageDtype: null,
  });
}

/** ai-toolkit; sources are lines of ostris/ai-toolkit 27a03a9. */
export const aiToolkit: Dialect = builtIn(file, {
  quantities: {
    loadDtype: run => {
      const dtype = run.read(key('train.dtype'), dtypeWord);
      return dtype === null
        ? run.byDefault('fp32', `${SOURCE}: dtype is fp32`)
        : run.at(key('train.dtype'), dtype);
    },
    method: run => {
      if (!isAdapter(run)) return run.byDefault<Method>('full', `${SOURCE}: network is None`);
      const quantised = run.get('quantization').value !== null;
      return run.at<Method>(key('network'), quantised ? 'qlora' : 'lora');
    },
    lora,
    quantization,
    gradAccum,
    imageSize,
    precisionRaw: run => {
      const dtype = run.word(key('train.dtype'));
      return dtype === null
        ? run.unknown('train.dtype is not set.')
        : run.at(key('train.dtype'), `dtype: ${dtype}`);
    },
    devices: run => {
      const device = run.word(key('device')) ?? 'cuda:0';
      return run.derived(device.startsWith('cuda') ? 1 : 0, [key('device')], `one job, on ${device}`);
    },
    accelerator: run => {
      const device = run.word(key('device'));
      if (device === null) return run.byDefault('cuda', 'jobs/process/BaseTrainProcess.py');
      return run.at(key('device'), device.replace(/:\d+$/, ''));
    },
  },
  details: {
    precomputed: run => {
      const cached = run.flag(key('datasets[0].cache_latents_to_disk')) ?? false;
      const texts =
        run.flag(key('train.cache_text_embeddings')) ?? run.flag(key('train.unload_text_encoder'));
      return run.derived(
        cached && texts === true,
        [key('datasets'), key('train')],
        'latents and embeddings of texts are both cached',
      );
    },
  },
  writers: {
    gradAccum: (to, run) => ({
      ok: true,
      writes: [
        {
          key: run.has(key('train.gradient_accumulation'))
            ? key('train.gradient_accumulation')
            : key('train.gradient_accumulation_steps'),
          value: to,
          near: [key('train.batch_size')],
        },
      ],
    }),
    precision: to =>
      /^(?:fp32|bf16|fp16)$/.test(to)
        ? { ok: true, writes: [{ key: key('train.dtype'), value: to, near: [key('train.batch_size')] }] }
        : { ok: false, why: 'train.dtype is fp32, bf16 or fp16.' },
    loadDtype: to => ({ ok: true, writes: [{ key: key('train.dtype'), value: to }] }),
    quantization: to =>
      to.bits === 8
        ? {
            ok: true,
            writes: [{ key: key('model.quantize'), value: true, near: [key('model.name_or_path')] }],
          }
        : { ok: false, why: 'model.quantize holds weights in 8 bits; other types are model.qtype.' },
    imageSize: sentence('Resolutions are buckets of each data set: change them there.'),
  },
});
