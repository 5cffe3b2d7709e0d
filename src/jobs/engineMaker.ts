import type { SshProgram } from '../remote/sshArguments';
import type { JobEngine } from './engine';
import type { JobPlace } from './job';

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
}

/** An engine as a plug-in: one file in `engines/`. */
export interface EngineMaker {
  readonly id: JobPlace['engine'];
  readonly make: (room: EngineRoom) => JobEngine;
}
