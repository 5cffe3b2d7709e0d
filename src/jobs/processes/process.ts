/** A process as the system lists it. */

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Distinguishes it from a later process with the same pid. */
  readonly start: string;
  readonly name: string;
}

/** The processes of this machine, without zombies. */
export interface Processes {
  /** Null: there is no such pid. */
  of(pid: number): Promise<ProcessRow | null>;
  all(): Promise<readonly ProcessRow[]>;
  /** Whether it was started with this variable; null: the system does not show it. */
  startedWith(pid: number, name: string, value: string): Promise<boolean | null>;
  /** Whether its stdout or stderr is this file; absent: the system does not show it. */
  printsInto?(pid: number, path: string): Promise<boolean>;
}
