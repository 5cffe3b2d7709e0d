import type { RunAnalysis } from '../core/rules/analysis';
import { setting } from '../host/settings';
import { isTrusted } from '../host/trust';
import type { Core } from './loading';

/** The rule whose fixes provide an unknown model. */
export const UNKNOWN_MODEL = 'unknown-model';

/** The Hub id of an unknown model; null also where the user, or Restricted Mode, allows no downloads. */
export const downloadable = (core: Core, run: RunAnalysis): string | null =>
  isTrusted() && setting('models.download') !== 'never' ? core.unknownHubModel(run) : null;
