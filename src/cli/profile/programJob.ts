import { isAbsolute } from 'node:path';
import type { Signal } from '../../core/signal';
import { redactedArguments } from '../../core/text/redact';
import type { Choice } from '../../jobs/copy/choose';
import { copyLines } from '../../jobs/copy/lines';
import { mostCopiedTo } from '../../jobs/engineMaker';
import { placeName } from '../../jobs/job';
import type { JobPlace } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { remoteArgv } from '../../jobs/remote/host';
import { ProfileError } from '../../profile/answers';
import { ProgramReader, programJobRequest } from '../../profile/program/job';
import type { ProgramCommand } from '../../profile/program/request';
import type { ProgramResult } from '../../profile/program/result';
import { pythonNamed } from '../../profile/program/words';
import { placeOf } from '../jobs/place';
import type { ProfileOptions } from './options';
import { probeRequestOf, runProbe, whyNoAnswer } from './probeJob';
import { codeFor, stage } from './stage';

/** Another machine or a cluster on which a program is run dry, and how its code gets there. */
export interface Elsewhere {
  readonly place: JobPlace;
  readonly name: string;
  /** The files of the working folder to copy; null: nothing is copied. */
  readonly code: Choice | null;
  /** The folder of that machine if nothing is copied; null: the copy. */
  readonly folder: string | null;
  /** Lines for the user before the start. */
  readonly lines: readonly string[];
}

/** Where the options say that a program runs; null: on this machine. Throws a JobError if too much would be copied. */
export async function elsewhereOf(options: ProfileOptions): Promise<Elsewhere | null> {
  const place = placeOf(options);
  if (place.engine === 'local') return null;
  const name = placeName(place);
  // The nodes of this machine's Slurm have access to the folder, as for all jobs.
  const isShared = place.engine === 'slurm' && place.alias === null;
  const folder = options.remoteFolder ?? (isShared ? process.cwd() : null);
  if (folder !== null) {
    return { place, name, code: null, folder, lines: [`Uses ${folder} on ${name}; copies no code.`] };
  }
  const code = await codeFor(place, process.cwd());
  return { place, name, code, folder: null, lines: copyLines(code, name, mostCopiedTo(place)) };
}

interface AwayOptions {
  readonly options: ProfileOptions;
  readonly progress: (text: string) => void;
}

/** Runs a program dry as a job elsewhere; every failure is a ProfileError or a JobError. */
export async function runProgramAway(
  jobs: Jobs,
  { code, folder }: Elsewhere,
  program: ProgramCommand,
  { options, progress }: AwayOptions,
  signal: Signal,
): Promise<ProgramResult> {
  const named = pythonNamed(program.command);
  const python = options.python ?? (named !== null && isAbsolute(named) ? named : undefined);
  // No secret is needed without a network, and none leaves this machine.
  const command = redactedArguments(remoteArgv(program.command, program.folder));
  const job = { ...program, command, folder, named, isChosen: python !== undefined };
  const staged = await stage({ code, device: null, request: () => programJobRequest(job) });
  const reader = new ProgramReader(progress);
  const started = python === undefined ? options : { ...options, python };
  const request = await probeRequestOf('dry run', staged, program.folder, started, 0);
  const record = await runProbe(
    jobs,
    { stage: staged, request, reader, queue: options.queue === true, progress },
    signal,
  );
  if (reader.problem) throw reader.problem;
  if (reader.found) return reader.found;
  throw new ProfileError('failed', whyNoAnswer(record, 'dry run'));
}
