import { json } from '../../core/text/terminal';
import { version } from '../../../package.json';
import type { Json } from '../../core/text/json';
import { estimateRun } from '../../core/memory/estimateRun';
import type { RunAnalysis } from '../../core/rules/analysis';
import { ProfileError } from '../../profile/answers';
import { planDryRun, profileRun } from '../../profile/profileRun';
import type { Profiled } from '../../profile/profileRun';
import { EXIT } from '../exit';
import type { Output } from '../output';
import { helpersFolder, interpreterFor } from './interpreter';
import type { Found } from './interpreter';
import { saveMeasurement } from './keep';
import type { ProfileOptions } from './options';
import { profiledJson, profiledText, refusedText } from './render';
import { entryOf, subjectOf } from './subject';
import type { Subject } from './subject';

/** `headroom profile FILE --dry-run`: what each run's own code keeps alive, without a GPU and without weights. */
export async function dryRuns(subject: Subject, options: ProfileOptions, output: Output): Promise<void> {
  const found = await interpreterFor(subject.folder, options.python);
  output.err(`Python: ${found.executable} (${found.why})`);
  const documents: Json[] = [];
  for (const [i, run] of subject.computed.entries()) {
    const learned = subject.learned[i] ?? run;
    documents.push(await dryRunOne(subject, withRows(run, options), learned, found, options, output));
  }
  if (options.json === true) {
    output.out(json({ schema: 'headroom-profile/1', file: subject.file, runs: documents }, 2));
  }
}

/** The run with the rows that its own code is called with, so that the comparison is fair. */
function withRows(analysis: RunAnalysis, { entry, batch }: ProfileOptions): RunAnalysis {
  const { run, model, target } = analysis;
  if (entry === undefined || batch === undefined || run.quantities.microBatchSize.value === batch) {
    return analysis;
  }
  const microBatchSize = { ...run.quantities.microBatchSize, value: batch, origin: BY_OPTION };
  const sized = { ...run, quantities: { ...run.quantities, microBatchSize } };
  const result = estimateRun(sized, model, target);
  return { ...analysis, run: sized, estimate: result.ok ? result.estimate : null };
}

const BY_OPTION = { kind: 'user', setting: '--batch' } as const;

async function dryRunOne(
  subject: Subject,
  run: RunAnalysis,
  learned: RunAnalysis,
  found: Found,
  options: ProfileOptions,
  output: Output,
): Promise<Json> {
  const entry = entryOf(subject, options);
  const planned = await planDryRun(run, subject.session.world, entry, {
    cacheFolder: helpersFolder(),
    layers: options.layers,
  });
  if (!planned.ok) return refused(run, planned.why, options, output);
  const signal = interruption();
  try {
    const profiled = await profileRun(
      run,
      found.interpreter,
      planned,
      {
        timeoutMs: options.timeout * 1000,
        folder: entry ? subject.codeFolder : null,
        progress: text => output.err(`${text} …`),
        known: options.again === true ? [] : (learned.lessons?.measurements ?? []),
        by: version,
        now: () => new Date(),
      },
      signal,
    );
    return await reportRun(subject, run, profiled, planned.notes, options, output);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    return refused(run, [error.message.replace(/\.$/, '')], options, output);
  } finally {
    signal.dispose();
  }
}

async function reportRun(
  subject: Subject,
  run: RunAnalysis,
  profiled: Profiled,
  notes: readonly string[],
  options: ProfileOptions,
  output: Output,
): Promise<Json> {
  if (options.json !== true) output.out(profiledText(run, profiled, notes, output.paint));
  if (!profiled.cached) await saveMeasurement(subject, profiled.measurement, options, output);
  return profiledJson(run, profiled, notes);
}

function refused(run: RunAnalysis, why: readonly string[], { json }: ProfileOptions, output: Output): Json {
  process.exitCode = EXIT.undecided;
  if (json !== true) output.out(refusedText(run, why, output.paint));
  return { name: run.run.name, refused: [...why] };
}

/** Ctrl+C ends what was started, and then this process. */
export function interruption(): { readonly aborted: boolean; dispose(): void } {
  let aborted = false;
  const abort = (): void => {
    aborted = true;
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.once(name, abort);
  return {
    get aborted() {
      return aborted;
    },
    dispose: () => {
      for (const name of signals) process.removeListener(name, abort);
    },
  };
}

/** The options of `headroom profile` for a dry run before a plan; the others keep their defaults. */
interface ProfileFirst extends Pick<ProfileOptions, 'gpu' | 'gpus' | 'python' | 'quiet' | 'color'> {
  readonly profile?: boolean;
}

/**
 * With `--profile`: runs the config's own code on tensors without data first, so that plans start from the measured
 * memory. Problems are reported, and the computed estimate stays.
 */
export async function profileBefore(file: string, first: ProfileFirst, output: Output): Promise<void> {
  if (!first.profile) return;
  const options: ProfileOptions = { ...first, layers: 'auto', timeout: 300, steps: 2, keep: true };
  const aside: Output = { ...output, out: output.err };
  await dryRuns(await subjectOf(file, options), options, aside);
  // A run that cannot be followed is not an error here; the plan sets the exit code.
  process.exitCode = undefined;
}
