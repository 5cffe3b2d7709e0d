import { builtIn } from './defined/compile';
import file from './gptSovits.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { effectiveOfMicro, rawFlag } from './shared/toolkit';
import { lightningPrecision } from './shared/lightning';

/** With DPO each batch is halved (AR/data/data_module.py L46-51). */
function batch(run: RunReader): Quantity<number> {
  const key = 'train.batch_size';
  const rows = run.count(key);
  if (rows === null || !run.flag('train.if_dpo')) return run.at(key, rows);
  return run.derived(Math.max(Math.floor(rows / 2), 1), [key, 'train.if_dpo'], `${rows} ÷ 2 with DPO`);
}

/** GPT-SoVITS' configs of its first stage; sources are files of RVC-Boss/GPT-SoVITS 48b1a01. */
export const gptSovits: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: batch,
    effectiveBatch: effectiveOfMicro,
    precision: { read: lightningPrecision },
    precisionRaw: run => {
      const words = run.word('train.precision');
      return words === null ? rawFlag('train.precision')(run) : run.at('train.precision', words);
    },
  },
  details: {
    autocast: run =>
      run.derived(
        run.get('precision').value?.endsWith('-mixed') ?? false,
        ['precision'],
        'Lightning autocasts',
      ),
  },
});
