import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { number } from './engine/readers';
import file from './guideTraining.yaml';
import { autocastByPrecision, lightningTrainer } from './shared/lightning';

/** The configs of the training-memory guide, lowmason/naics-embedder e418955. */
export const guideTraining: Dialect = builtIn(file, {
  quantities: {
    ...lightningTrainer('training.trainer'),
    loadDtype: run => {
      const precision = run.get('precision').value;
      if (precision === 'bf16' || precision === 'fp16') {
        return run.derived(precision, ['precision'], 'true 16-bit precision casts the module');
      }
      return run.byCode('fp32', 'naics-embedder model/encoder.py: from_pretrained without a dtype');
    },
    lora: run => {
      const value = (key: string, otherwise: number): number => run.read(key, number) ?? otherwise;
      const settings = {
        r: value('model.lora.r', 8),
        alpha: value('model.lora.alpha', 16),
        dropout: value('model.lora.dropout', 0.1),
        targets: 'all-linear' as const,
        modulesToSave: [],
        rslora: false,
        dora: false,
      };
      return run.has('model.lora')
        ? run.at(['model.lora.r', 'model.lora'], settings)
        : run.byDefault(settings, 'naics-embedder utils/config.py, LoRAConfig');
    },
  },
  details: {
    autocast: autocastByPrecision,
    sequencesPerSample: run => {
      const negatives = run.count('n_negatives') ?? run.count('data_loader.streaming.n_negatives');
      if (negatives === null) {
        return run.unknown(
          'n_negatives is set by no stage file; the program then takes up to 2125 a sample.',
        );
      }
      const formula = `anchor + positive + ${negatives} negatives; n_positives widens the data, not the batch`;
      return run.derived(2 + negatives, ['n_negatives'], formula);
    },
  },
});
