import { NEVER } from '../core/signal';
import type { Signal } from '../core/signal';
import type { CliPlace, LogFolder, OtherMachine, ProfiledFile } from './throughCli';

/** Measures runs through the CLI that ships with the extension; loads the code that starts it on first use. */
export function lazyProfiler(place: CliPlace) {
  const load = () => import('./throughCli');
  return {
    dryRun: async (subject: ProfiledFile, python: string, progress: (text: string) => void, signal: Signal) =>
      (await load()).dryRunThrough(place, subject, python, progress, signal),
    program: async (subject: ProfiledFile, python: string, command: readonly string[]) =>
      (await load()).programThrough(place, subject, python, command),
    elsewhere: async (subject: ProfiledFile, where: OtherMachine, command: readonly string[] | null) =>
      (await load()).elsewhereThrough(place, subject, where, command),
    measured: async (subject: ProfiledFile, size: string, metric: 'device' | 'reserved' | 'allocated') =>
      (await load()).measuredThrough(place, subject, { size, metric }, NEVER),
    forgotten: async (subject: ProfiledFile) => (await load()).forgottenThrough(place, subject),
    exported: async (subject: ProfiledFile, to: string) => (await load()).exportedThrough(place, subject, to),
    lengths: async (subject: ProfiledFile, progress: (text: string) => void, signal: Signal) =>
      (await load()).lengthsThrough(place, subject, progress, signal),
    calibrated: async (
      of: Pick<ProfiledFile, 'folder' | 'keptFor'>,
      python: string,
      progress: (text: string) => void,
      signal: Signal,
    ) => (await load()).calibratedThrough(place, of, python, progress, signal),
    pastRuns: async (logs: LogFolder, signal: Signal) => (await load()).pastRunsThrough(place, logs, signal),
    keepPastRuns: async (logs: LogFolder, runs: readonly string[]) =>
      (await load()).pastRunsKeptThrough(place, logs, runs),
  };
}
