import type { SshProgram } from '../remote/sshArguments';
import type { JobEngine } from './engine';
import type { JobPlace } from './job';
import type { KeepMeasurement } from './measured';

/** What engines are told of their surroundings. */
export interface EngineRoom {
  /** The user's state folder (`stateFolder()`). */
  readonly state: string;
  /** The program that looks after a job on this machine (`dist/keeper.js`). */
  readonly keeper: string;
  /** Executables that the user has set, by GPU tool. */
  readonly executables: Readonly<Record<string, string>>;
  /** What the user has set of OpenSSH. */
  readonly ssh: Partial<SshProgram>;
  /** Dashboards of Ray that the user's own settings name; absent: none. A token goes to no others. */
  readonly rayAddresses?: () => readonly string[];
  /** Keeps what jobs elsewhere have measured; absent: no one does. */
  readonly keepMeasurement?: KeepMeasurement;
  /** Says why something takes a while; absent: no one does. */
  readonly say?: (sentence: string) => void;
  /** The most that is copied to a host for one job; absent: MOST_COPY_BYTES. */
  readonly mostCopyBytes?: number;
  /** After this a start that was never heard of is over; absent: that of the engine. Tests do not wait for two minutes. */
  readonly startLimitMs?: number | undefined;
}

/** A folder of code is smaller; with data and checkpoints it belongs on the host already. */
export const MOST_COPY_BYTES = 500e6;

/** An engine as a plug-in: one file in `engines/`. */
export interface EngineMaker {
  readonly id: JobPlace['engine'];
  readonly make: (room: EngineRoom) => JobEngine;
}
