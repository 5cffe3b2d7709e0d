import { builtIn } from './defined/compile';
import file from './ltxTrainer.yaml';
import type { LoraSettings, Method, Quantization } from '../spec/values';
import type { Dialect } from './dialect';
import { number } from './engine/readers';
import type { ValueReader } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { mixedName, mixedWord } from './shared/vision';

const QUANTO: ValueReader<Quantization> = value => {
  const bits = typeof value === 'string' ? /(?:int|fp)([248])/.exec(value)?.[1] : undefined;
  if (bits === undefined) return value === null ? null : { unfit: 'is no type of quanto’s' };
  return {
    ok: {
      bits: Number(bits) as 2 | 4 | 8,
      method: 'other',
      type: typeof value === 'string' ? value : null,
      doubleQuant: null,
      computeDtype: null,
      storageDtype: null,
    },
  };
};

/** LTX-Video-Trainer; sources are files of Lightricks/LTX-Video-Trainer 31b1273 (config.py). */
export const ltxTrainer: Dialect = builtIn(file, {
  quantities: {
    loadDtype: run => {
      const adapters = run.get('method').value !== 'full';
      return run.byCode(adapters ? 'bf16' : 'fp32', 'src/ltxv_trainer/trainer.py: transformer_dtype');
    },
    method: run => {
      const mode = run.word('model.training_mode') ?? 'lora';
      const adapters: Method = run.get('quantization').value === null ? 'lora' : 'qlora';
      if (run.has('model.training_mode')) {
        return run.at('model.training_mode', mode === 'full' ? 'full' : adapters);
      }
      return run.byDefault(adapters, 'config.py: training_mode is lora');
    },
    lora: run => {
      if ((run.word('model.training_mode') ?? 'lora') === 'full') return run.none('training_mode is full');
      const rank = run.count('lora.rank') ?? 64;
      return run.at<LoraSettings>(['lora.rank', 'lora', 'model.training_mode'], {
        r: rank,
        alpha: run.read('lora.alpha', number) ?? 64,
        dropout: run.read('lora.dropout', number) ?? 0,
        targets: run.words('lora.target_modules') ?? ['to_k', 'to_q', 'to_v', 'to_out.0'],
        modulesToSave: [],
        rslora: false,
        dora: false,
      });
    },
    quantization: { read: QUANTO },
    precision: { read: mixedWord, write: mixedName },
  },
  details: {
    autocast: autocastByPrecision,
  },
});
