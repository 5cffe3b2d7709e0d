import { l10n, workspace } from 'vscode';
import type { RuleFault } from '../core/rules/rule';
import { Workers } from '../host/worker';
import type { Answers, LimitError, StartWorker } from '../host/worker';
import { corePath } from '../host/paths';
import { pathOf } from '../host/uris';
import { workspaceFiles } from '../host/workspaceFiles';
import type { Analyst, Kind, Requests, Results } from './analyst';
import { TRANSLATIONS } from './translator';

/** What surrounds a document in this window. */
export interface WindowEnvironment {
  /** The folders of the workspace. */
  readonly folders: readonly string[];
  /** Open documents: what they say is known here only. */
  readonly open: readonly string[];
  /** False: the workspace has no dialects of its own to be looked for. */
  readonly hasDialects: boolean;
}

/** One piece of work, as it is sent. */
export type WorkerTask<K extends Kind = Kind> = {
  [Each in K]: {
    readonly kind: Each;
    readonly request: Requests[Each];
    readonly environment: WindowEnvironment;
  };
}[K];

/** What was found before and may be something else now. */
export interface Notice {
  readonly about: 'definitions' | 'measured' | { readonly folder: string };
}

/** Milliseconds is what a config takes; on a machine that does something else, seconds. */
const MOST_MS = 20_000;
/**
 * A search for plans, or a comparison with the whole catalog, takes two seconds, and many more on a busy machine.
 */
const LONG_MS = 120_000;
const LONG_WORK: readonly Kind[] = ['plan', 'compare'];

function limitMs(kind: Kind): number {
  if (LONG_WORK.includes(kind)) return LONG_MS;
  // Only for tests, which would otherwise wait for each file that takes for ever.
  const seconds = Number(process.env['HEADROOM_ANALYSIS_LIMIT_S'] ?? NaN);
  return seconds > 0 ? seconds * 1000 : MOST_MS;
}

/** How this window starts its workers, and what they may ask in addition to files. */
export interface WorkerKind {
  readonly start: StartWorker;
  readonly answers?: Answers;
}

/** Workers of this window. */
export function analysisWorkers(
  { start, answers: more }: WorkerKind,
  onRuleFault: (fault: RuleFault) => void,
): Workers {
  const answers = {
    ...more,
    read: (path: string) => workspaceFiles.read(path),
    list: (folder: string) => workspaceFiles.list(folder),
    [TRANSLATIONS]: () => Promise.resolve(l10n.bundle ?? {}),
    ruleFault: (fault: RuleFault) => {
      onRuleFault(fault);
      return Promise.resolve();
    },
  };
  // A plan and a comparison may run, and one file is still answered.
  return new Workers({ start, answers, most: 3, patienceMs: 250, restMs: 20_000 });
}

/** Everything that strangers may have written is read in workers: in Restricted Mode, too. */
export function workerAnalyst(workers: Workers, hasDialects: () => Promise<boolean>): Analyst {
  return async <K extends Kind>(kind: K, request: Requests[K], signal = new AbortController().signal) => {
    const environment = await currentEnvironment(hasDialects);
    return (await workers.run({ kind, request, environment }, limitMs(kind), signal)) as Results[K];
  };
}

const currentEnvironment = async (hasDialects: () => Promise<boolean>): Promise<WindowEnvironment> => ({
  hasDialects: await hasDialects(),
  folders: (workspace.workspaceFolders ?? []).map(({ uri }) => corePath(uri)),
  open: workspace.textDocuments.filter(({ isClosed }) => !isClosed).map(({ uri }) => pathOf(uri)),
});

/** Why a file was given up, and what to do: a sentence. */
export function limitText(file: string, { what, message }: LimitError): string {
  return what === 'time'
    ? l10n.t('Headroom gave up on {0}: {1}. Shorten it or a file that it uses.', file, message)
    : l10n.t('Headroom gave up on {0}: {1}. Split it or a file that it uses.', file, message);
}
