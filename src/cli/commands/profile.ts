import { placeOf } from '../jobs/place';
import { BadInput, terminalOutput } from '../output';
import { dryRuns } from '../profile/dry';
import { exportAll, forgetAll, listMeasurements } from '../profile/list';
import { typedIn } from '../profile/measured';
import { profileProgram } from '../profile/program';
import { probes } from '../profile/probe';
import type { ProfileOptions } from '../profile/options';
import { subjectOf } from '../profile/subject';
import { programWords } from '../../profile/program/words';

/** `headroom profile FILE`: measures a run's memory instead of computing it. `words`: the operands. */
export async function profile(
  first: string | undefined,
  rest: readonly string[],
  options: ProfileOptions,
): Promise<void> {
  const output = terminalOutput(options);
  const operands = first === undefined ? [] : [first, ...rest];
  const { file, command } = programWords(operands, process.argv);
  const isProgram = options.program === true || command.length > 0;
  mustBeOne(options, isProgram);
  if (file === null) {
    if (command.length === 0) throw new BadInput('Give a config, or a command after --.');
    return profileProgram({ command, of: null }, options, output);
  }
  const subject = await subjectOf(file, options);
  if (isProgram) {
    return profileProgram({ command, of: subject }, options, output);
  }
  if (options.list === true) {
    listMeasurements(subject, options, output);
    return;
  }
  if (options.export !== undefined) return exportAll(subject, options.export, output);
  if (options.forget === true) return forgetAll(subject, options, output);
  if (options.measured !== undefined) return typedIn(subject, options.measured, options, output);
  if (options.probe === true) return probes(subject, options, output);
  return dryRuns(subject, options, output);
}

function mustBeOne(options: ProfileOptions, isProgram: boolean): void {
  const requested = [
    options.dryRun,
    isProgram,
    options.probe,
    options.measured !== undefined,
    options.list,
    options.forget,
    options.export !== undefined,
  ];
  if (requested.filter(Boolean).length > 1) {
    throw new BadInput(
      'Choose one of --dry-run, --program, --probe, --measured, --list, --forget, --export.',
    );
  }
  const goesElsewhere = isProgram || options.probe === true;
  if (!goesElsewhere && placeOf(options).engine !== 'local') {
    throw new BadInput('--host, --slurm and --ray need --probe, --program or a command after --.');
  }
}
