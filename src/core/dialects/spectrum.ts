import type { Dialect } from './dialect';

/** What Spectrum's script writes: patterns of the parameters that are trained (cognitivecomputations/spectrum, spectrum.py). */
export const spectrum: Dialect = {
  id: 'spectrum',
  title: 'Spectrum',
  role: 'part',
  framework: { name: 'spectrum', version: '1.0.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['unfrozen_parameters'],
    medium: [],
    weak: [],
    against: ['base_model', 'model_name_or_path', 'micro_batch_size', 'datasets', 'adapter'],
    // Read where a config names it; by itself it is no config of anything.
    least: 100,
  },
  quantities: {},
  details: {
    trainedParts: run => {
      const patterns = run.words('unfrozen_parameters');
      return patterns === null
        ? run.unknown('unfrozen_parameters is no list of patterns.')
        : run.at('unfrozen_parameters', { by: 'name', patterns });
    },
  },
};
