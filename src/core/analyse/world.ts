import type { RuleFault } from '../rules/rule';
import type { LengthFiles, MeasurementFiles } from '../learn/lookups';
import type { DefinitionSource, LauncherSource } from '../reading/ports';
import type { ModelSource } from '../models/model';
import type { Files } from '../text/files';
import type { Target } from '../hardware/gpu';
import type { NetworkReading } from '../network/read';
import type { MemorySession } from '../memory/session';
import { english } from '../text/say';
import type { Say } from '../text/say';

/** What was read of a project's network, and the files that it depends on. */
export interface StoredNetwork {
  readonly reading: NetworkReading | null;
  readonly texts: ReadonlyMap<string, string | null>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

/** Everything that the analysis may ask for in addition to the text. */
export interface World {
  readonly files: Files;
  readonly models: ModelSource;
  /** Shared between estimates; absent: each is computed separately. */
  readonly memory?: MemorySession | undefined;
  /** Shared between analyses; absent: a project's network is read each time. */
  readonly networks?: { readonly stored: Map<string, StoredNetwork> };
  /** Host RAM of the machine that runs start on, in MiB; absent: unknown, or runs may start on another machine. */
  readonly hostMiB?: number;
  /** One GPU of the type that a file asks for; null if the name is unknown or ambiguous. */
  readonly gpuNamed?: (name: string) => Promise<Target | null>;
  /** The release of a package in the Python that runs start with; null: not there. Absent: not known. */
  readonly installed?: (library: string) => Promise<string | null>;
  /** Absent if there is no workspace. */
  readonly definitions?: DefinitionSource;
  /** Absent if only the files that a config itself names count. */
  readonly launchers?: LauncherSource;
  /** Absent if measurements do not count. */
  readonly measurements?: MeasurementFiles;
  /** Absent if the data's lengths do not matter. */
  readonly lengths?: LengthFiles;
  /** Says findings and titles in the reader's language; absent: in English. */
  readonly say?: Say;
  /** Receives rules that throw; they then report nothing. Absent: the error propagates, so that a test fails. */
  readonly onRuleFault?: (fault: RuleFault) => void;
}

export const sayOf = ({ say = english }: Pick<World, 'say'>): Say => say;
