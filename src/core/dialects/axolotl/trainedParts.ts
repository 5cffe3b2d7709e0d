import type { Quantity } from '../../spec/quantity';
import type { TrainedParts } from '../../spec/trainedParts';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { hasPlugin } from './plugins';

/** The key that freezes parts of the base; null: none. */
export function freezingKey(run: RunReader): string | null {
  if (run.words('unfrozen_parameters')?.length) return 'unfrozen_parameters';
  if (run.has('lisa_n_layers')) return 'lisa_n_layers';
  return hasPlugin(run, 'SpectrumPlugin') ? 'plugins' : null;
}

/** utils/freeze.py; utils/callbacks/lisa.py (until 0.12); integrations/spectrum, which overwrites `unfrozen_parameters`. */
export function trainedParts(run: RunReader): Quantity<TrainedParts> {
  if (run.get('method').value !== 'freeze') return run.none('nothing of the base is frozen, or all of it');
  if (hasPlugin(run, 'SpectrumPlugin')) {
    const key = 'spectrum_top_fraction';
    const share = run.read(key, number);
    // The default is 50, which counts as a fraction: all layers.
    return share === null
      ? run.byDefault<TrainedParts>({ by: 'share', share: 1 }, 'integrations/spectrum: top_fraction is 50')
      : run.at<TrainedParts>(key, { by: 'share', share: Math.min(1, share) });
  }
  const patterns = run.words('unfrozen_parameters') ?? [];
  if (patterns.length > 0) return run.at<TrainedParts>('unfrozen_parameters', { by: 'name', patterns });
  const layers = run.count('lisa_n_layers');
  return layers === null
    ? run.unknown('lisa_n_layers is no number.')
    : run.at<TrainedParts>('lisa_n_layers', { by: 'turn', layers });
}
