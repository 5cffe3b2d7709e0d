import type { Adapter } from '../adapters';
import type { Host, MachineLoad } from '../fleet';
import type { ChildEnd } from '../launch';

export const SCHEMA = 'headroom-recording/1';

/** Recorded answers of tools and servers, to attach to a bug report and replay elsewhere. */
export interface Recording {
  readonly schema: typeof SCHEMA;
  /** Headroom's version. */
  readonly version: string;
  readonly intervalMs: number;
  readonly hosts: readonly RecordedHost[];
}

export interface RecordedHost {
  readonly host: Host;
  readonly platform: string;
  readonly startedMs: number;
  /** Null: it was never read. */
  readonly machine: RecordedMachine | null;
  readonly runs: readonly RecordedRun[];
  readonly requests: readonly RecordedRequest[];
}

/** Facts about a machine in addition to its tools' output. */
export interface RecordedMachine {
  readonly mayStream: boolean;
  readonly isAsleep: boolean;
  readonly adapters: readonly Adapter[];
  readonly load: MachineLoad | null;
}

/** One process: its arguments, and its timed output. Times are in ms since the host's start. */
export interface RecordedRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly atMs: number;
  readonly output: readonly RecordedText[];
  /** Null: it was still running at the end, or was stopped. */
  readonly end: (ChildEnd & { readonly atMs: number }) | null;
}

export type RecordedText = readonly [atMs: number, stream: 'stdout' | 'stderr', text: string];

/** One HTTP request. Status 0: there was no answer. */
export interface RecordedRequest {
  readonly path: string;
  readonly atMs: number;
  readonly endMs: number;
  readonly status: number;
  readonly body: string;
}
