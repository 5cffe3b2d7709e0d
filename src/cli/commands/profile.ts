import { BadInput, terminalOutput } from '../output';
import { dryRuns } from '../profile/dry';
import { exportAll, forgetAll, listMeasurements } from '../profile/list';
import { typedIn } from '../profile/measured';
import { probes } from '../profile/probe';
import type { ProfileOptions } from '../profile/options';
import { subjectOf } from '../profile/subject';

/** `headroom profile FILE`: measures a run's memory instead of computing it. */
export async function profile(file: string, options: ProfileOptions): Promise<void> {
  const output = terminalOutput(options);
  const requested = [
    options.dryRun,
    options.probe,
    options.measured !== undefined,
    options.list,
    options.forget,
    options.export !== undefined,
  ];
  if (requested.filter(Boolean).length > 1) {
    throw new BadInput('Choose only one of --dry-run, --probe, --measured, --list, --forget and --export.');
  }
  const subject = await subjectOf(file, options);
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
