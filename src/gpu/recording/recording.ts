import type { Adapter } from '../adapters';
import type { Host, MachineLoad } from '../fleet';
import type { ChildEnd } from '../launch';

export const SCHEMA = 'headroom-recording/1';

/** What tools and servers answered, to be looked at elsewhere: the file that is attached to a report of a bug. */
export interface Recording {
  readonly schema: typeof SCHEMA;
  /** Of Headroom. */
  readonly version: string;
  readonly intervalMs: number;
  readonly hosts: readonly RecordedHost[];
}

export interface RecordedHost {
  readonly host: Host;
  readonly platform: string;
  readonly startedMs: number;
  /** Null: it never went on so far as to be asked. */
  readonly machine: RecordedMachine | null;
  readonly runs: readonly RecordedRun[];
  readonly requests: readonly RecordedRequest[];
}

/** What is known of a machine in addition to what its tools say. */
export interface RecordedMachine {
  readonly mayStream: boolean;
  readonly isAsleep: boolean;
  readonly adapters: readonly Adapter[];
  readonly load: MachineLoad | null;
}

/** One process: what it was called with, and what it said when. Times are in ms since the host's start. */
export interface RecordedRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly atMs: number;
  readonly output: readonly RecordedText[];
  /** Null: it was still there at the end, or was stopped. */
  readonly end: (ChildEnd & { readonly atMs: number }) | null;
}

export type RecordedText = readonly [atMs: number, stream: 'stdout' | 'stderr', text: string];

/** One question to a server. Status 0: there was no answer. */
export interface RecordedRequest {
  readonly path: string;
  readonly atMs: number;
  readonly endMs: number;
  readonly status: number;
  readonly body: string;
}
