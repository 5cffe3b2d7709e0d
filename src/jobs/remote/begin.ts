import type { Shells } from '../../remote/shells';
import { JobError } from '../engine';
import type { JobRecord } from '../job';
import { askFor, BEGIN_MS, Unreachable } from './host';
import type { Signal } from '../../core/signal';

/** A valid shell variable name. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `NAME=VALUE` for each variable of the job; secrets come last. */
export function variables(
  record: JobRecord,
  secrets: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): readonly string[] {
  const all = { ...record.environment, ...more, ...secrets };
  const bad = Object.keys(all).find(name => !NAME.test(name));
  if (bad !== undefined) throw new JobError('refused', `“${bad}” isn't a valid variable name.`);
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
}

/** How long to retry for confirmation of a start that may have happened. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 1000;

/**
 * Makes a request that must take effect only once, and repeats it if the connection broke: the script recognizes
 * repeats. Null if there was no answer: it may have taken effect.
 */
export async function once<T>(ask: () => Promise<T>, signal: Signal): Promise<T | null> {
  const end = performance.now() + PATIENCE_MS;
  let wasSent = false;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      wasSent ||= error.wasSent;
      const isOver = signal.aborted || !error.mayComeBack || performance.now() > end;
      if (isOver && !wasSent) throw error;
      if (isOver) return null;
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Starts a job's command on a host, detached; resolves even if the start was not confirmed. */
export async function begin(
  shells: Shells,
  alias: string,
  words: {
    readonly id: string;
    readonly folder: string;
    /** If above 0, the GPUs are watched during the job. */
    readonly gpus: number;
    readonly argv: readonly string[];
  },
  environment: readonly string[],
  signal: Signal,
): Promise<void> {
  const line = ['begin', words.id, words.folder, String(words.gpus), ...environment, '--', ...words.argv];
  await once(() => askFor(shells, alias, line, signal, BEGIN_MS), signal);
}
