import type { ChildProcessByStdio, StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';

interface StartOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: StdioOptions;
  readonly lastSignal?: NodeJS.Signals;
}

export type Started = ChildProcessByStdio<null, Readable, Readable>;

export function start(command: string, args: readonly string[], options?: StartOptions): Started;
export function stop(child: Started, graceMs?: number): Promise<void>;
export function run(
  command: string,
  args: readonly string[],
  options?: StartOptions & { readonly timeoutMs?: number },
): Promise<{ readonly status: number | null; readonly timedOut: boolean; readonly output: string }>;
export function exitOnSignals(): void;
