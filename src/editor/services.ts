import type { Log } from '../host/log';
import type { Analyst } from './analyst';
import type { AnalysisService } from './analysisService';
import type { Targets } from './targets';
import type { CouldBeOurs, DownloadModel, LoadCore } from './loading';

/** What the editor's features use. */
export interface EditorServices {
  readonly analysis: AnalysisService;
  /** Has read whatever a stranger may have written. */
  readonly analyst: Analyst;
  readonly core: LoadCore;
  readonly couldBeOurs: CouldBeOurs;
  readonly targets: Targets;
  readonly downloadModel: DownloadModel;
  readonly log: Log;
}
