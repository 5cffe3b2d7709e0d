import type { RuleFault } from '../rules/rule';
import type { LengthFiles, MeasurementFiles } from '../learn/measurement';
import type { LauncherSource } from '../dialects/ports';
import type { DefinitionSource } from '../dialects/ports';
import type { ModelSource } from '../models/model';
import type { Files } from '../text/files';
import type { Target } from '../hardware/gpu';
import type { MemorySession } from '../memory/session';

/** Everything the analysis may ask of the world. */
export interface World {
  readonly files: Files;
  readonly models: ModelSource;
  /** What estimates share; absent where each is made by itself. */
  readonly memory?: MemorySession | undefined;
  /** Memory of the machine that runs start on, in MiB; absent: not known, or it may be another machine. */
  readonly hostMiB?: number;
  /** A GPU that a file asks for by name, one of it; null for a name that means none or several. */
  readonly gpuNamed?: (name: string) => Promise<Target | null>;
  /** Absent where a host has no workspace. */
  readonly definitions?: DefinitionSource;
  /** Absent where only what a file itself names counts. */
  readonly launchers?: LauncherSource;
  /** Absent where nothing that was measured counts. */
  readonly measurements?: MeasurementFiles;
  /** Absent where it does not matter how long the data are. */
  readonly lengths?: LengthFiles;
  /** Hears of rules that throw; they then report nothing. Absent: the error goes on, so that a test fails. */
  readonly onRuleFault?: (fault: RuleFault) => void;
}
