import { builtIn } from './defined/compile';
import file from './spectrum.yaml';
import type { Dialect } from './dialect';

/** What Spectrum's script writes: patterns of the parameters that are trained (cognitivecomputations/spectrum, spectrum.py). */
export const spectrum: Dialect = builtIn(file, {
  details: {
    trainedParts: run => {
      const patterns = run.words('unfrozen_parameters');
      return patterns === null
        ? run.unknown('unfrozen_parameters is no list of patterns.')
        : run.at('unfrozen_parameters', { by: 'name', patterns });
    },
  },
});
