import type { Log } from '../host/log';
import type { AnalysisService } from './analysisService';
import type { CouldBeOurs, LoadCore } from './core';
import type { Targets } from './targets';

/** What the editor's features stand on. */
export interface EditorServices {
  readonly analysis: AnalysisService;
  readonly core: LoadCore;
  readonly couldBeOurs: CouldBeOurs;
  readonly targets: Targets;
  readonly log: Log;
}
