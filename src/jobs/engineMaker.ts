import type { SshProgram } from '../remote/sshArguments';
import type { JobEngine } from './engine';
import type { JobPlace } from './job';
import type { KeepMeasurement } from './measured';

/** The environment of the engines. */
export interface EngineRoom {
  /** The user's state folder (`stateFolder()`). */
  readonly state: string;
  /** The program that runs a job on this machine (`dist/keeper.js`). */
  readonly keeper: string;
  /** Executables from the user's settings, by GPU tool. */
  readonly executables: Readonly<Record<string, string>>;
  /** OpenSSH options from the user's settings. */
  readonly ssh: Partial<SshProgram>;
  /** Ray dashboards in the user's own settings; absent: none. A token is sent only to these. */
  readonly rayAddresses?: () => readonly string[];
  /** Stores measurements of jobs on other machines; absent: they are not stored. */
  readonly keepMeasurement?: KeepMeasurement;
  /** Reports why something takes a while; absent: not reported. */
  readonly say?: (sentence: string) => void;
  /** The maximum size of a copy to a host for one job; absent: MOST_COPY_BYTES. */
  readonly mostCopyBytes?: number;
  /**
   * The time after which an unconfirmed start counts as failed; absent: the engine's default. Tests do not wait for
   * two minutes.
   */
  readonly startLimitMs?: number | undefined;
}

/** A folder of code is smaller; a folder with data and checkpoints should already be on the host. */
export const MOST_COPY_BYTES = 500e6;

/** Ray's own limit for a package is 512 MiB; it is stored in the head node's memory. */
export const MOST_PACKAGE_BYTES = 100e6;

/** The maximum size of a copy for one job of a place. */
export const mostCopiedTo = ({ engine }: JobPlace): number =>
  engine === 'ray' ? MOST_PACKAGE_BYTES : MOST_COPY_BYTES;

/** An engine as a plug-in: one file in `engines/`. */
export type EngineMaker = (room: EngineRoom) => JobEngine;
