import type { Log } from '../host/log';
import type { core } from './analysisChunk';
import type { Analyst } from './analyst';
import type { AnalysisService } from './analysisService';
import type { Targets } from './targets';

/** What the editor's features stand on. */
export interface EditorServices {
  readonly analysis: AnalysisService;
  /** Has read whatever a stranger may have written. */
  readonly analyst: Analyst;
  readonly core: LoadCore;
  readonly couldBeOurs: CouldBeOurs;
  readonly targets: Targets;
  readonly log: Log;
}

/**
 * Core as the editor uses it. The code behind it is its own chunk, loaded when the first config of ours is seen;
 * all that the window needs before that is this type.
 */
export type Core = typeof core;

export type LoadCore = () => Promise<Core>;

/** False: the text cannot be a config of ours. Looks at the beginning of the text only, and is fast. */
export type CouldBeOurs = (text: string) => Promise<boolean>;
