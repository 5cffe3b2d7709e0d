import { AnswerReader, ProfileError } from '../answers';
import type { Fields } from '../answers';
import { programRequest } from './request';
import type { ProgramCommand } from './request';
import { programResult } from './result';
import type { ProgramResult } from './result';
import { limitSeconds } from './runProgram';

/** Where an environment's Python is below a project, as on this machine. */
const ENVIRONMENTS = ['.venv', 'venv', 'env', '.pixi/envs/default', '.conda', 'conda-env'];

/** A program to run dry as a job of another machine. */
export interface ProgramJob extends Omit<ProgramCommand, 'folder'> {
  /** A folder of that machine; null: the code that was copied with the scripts. */
  readonly folder: string | null;
  /** The Python that the command names by a path in its folder; null: none. */
  readonly named: string | null;
  /** The user chose the Python that the job starts with. */
  readonly isChosen: boolean;
}

/** The request to `src/python`: the program in a process of its own, in folders that are removed. */
export function programJobRequest({ folder, named, isChosen, ...program }: ProgramJob): object {
  const found = ENVIRONMENTS.map(name => `${name}/bin/python`);
  return {
    protocol: 1,
    task: 'program job',
    folder,
    pythons: isChosen ? [] : [...(named === null ? [] : [named]), ...found],
    limitSeconds: limitSeconds(program.seconds),
    program: programRequest(program),
  };
}

/** Reads the messages of a program's dry run among other output. */
export class ProgramReader extends AnswerReader {
  found: ProgramResult | null = null;

  protected override take(kind: string, fields: Fields): void {
    if (kind !== 'result') return;
    try {
      this.found = programResult(fields);
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      this.problem ??= error;
    }
  }
}
