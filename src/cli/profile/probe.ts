import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunAnalysis } from '../../core/rules/analysis';
import { JobError } from '../../jobs/engine';
import type { JobPlace, JobRequest } from '../../jobs/job';
import { digestOf } from '../../jobs/request';
import { ProbeReader, probeRequest } from '../../profile/probe';
import type { RowEstimate } from '../../profile/probe';
import { planDryRun } from '../../profile/profileRun';
import { ProfileError } from '../../profile/answers';
import type { DryRunRequest } from '../../profile/request';
import { openJobsHere } from '../jobs/open';
import { placeOf } from '../jobs/place';
import { EXIT } from '../exit';
import { BadInput } from '../output';
import type { Output } from '../output';
import { interruption } from './dry';
import { helpersFolder, interpreterFor } from './interpreter';
import type { ProfileOptions } from './options';
import { runProbe } from './probeJob';
import { reportProbe } from './probeText';
import { refusedText } from './render';
import { stage } from './stage';
import type { Stage } from './stage';
import type { Subject } from './subject';

/** A file that replaces CUDA with another device, for tests and for hardware that torch does not call CUDA. */
const DEVICE = 'HEADROOM_PROBE_DEVICE';

/** `headroom profile FILE --probe`: real steps on one GPU, on any machine, and the largest batch that fits it. */
export async function probes(subject: Subject, options: ProfileOptions, output: Output): Promise<void> {
  const run = onlyRun(subject);
  const place = placeOf(options);
  const device = deviceFile();
  if (place.engine === 'local' && device === null && run.target?.kind !== 'present') {
    throw new BadInput(
      'A probe needs a GPU, and this machine has none. Do a dry run, or choose another machine with --host, --slurm or --ray.',
    );
  }
  const planned = await planDryRun(run, subject.session.world, entryOf(subject, options), {
    cacheFolder: helpersFolder(),
    layers: 'all',
  });
  if (!planned.ok) {
    refused(run, planned.why, output);
    return;
  }
  if (planned.added) {
    refused(
      run,
      [`its steps would lack ${planned.added.what.join(', ')}; use code that has them with --entry`],
      output,
    );
    return;
  }
  if (planned.request.preference) {
    refused(
      run,
      ['its rows are pairs, which a probe does not support; use your own code with --entry'],
      output,
    );
    return;
  }
  const signal = interruption();
  const jobs = openJobsHere(options);
  try {
    const staged = await stageOf(subject, planned.request, options, device);
    const request = await jobOf(subject, run, staged, options);
    const progress = (text: string): void => output.err(`${text} …`);
    const reader = new ProbeReader(progress);
    const record = await runProbe(
      jobs,
      { stage: staged, request, reader, queue: options.queue === true },
      signal,
    );
    if (reader.problem) throw reader.problem;
    if (reader.tries.length === 0 || !reader.found) {
      throw new ProfileError('failed', record.message ?? `The probe ended without an answer (${record.id}).`);
    }
    await reportProbe(subject, run, { tries: reader.tries, found: reader.found }, options, output);
  } catch (error) {
    if (!(error instanceof ProfileError) && !(error instanceof JobError)) throw error;
    refused(run, [error.message.replace(/\.$/, '')], output);
  } finally {
    signal.dispose();
    jobs.dispose();
  }
}

function refused(run: RunAnalysis, why: readonly string[], output: Output): void {
  process.exitCode = EXIT.undecided;
  output.out(refusedText(run, why, output.paint));
}

function onlyRun({ computed, file }: Subject): RunAnalysis {
  const [run, ...others] = computed;
  if (run && others.length === 0) return run;
  const names = computed.map(one => one.run.name).join(', ');
  throw new BadInput(`${file} has several runs. Choose one with --run (${names}).`);
}

const isElsewhere = (options: ProfileOptions): boolean => placeOf(options).engine !== 'local';

function entryOf({ codeFolder, settings }: Subject, { entry, batch }: ProfileOptions) {
  return entry === undefined ? null : { entry, folder: codeFolder, settings, rows: batch ?? null };
}

export function deviceFile(): string | null {
  const file = process.env[DEVICE];
  if (file === undefined || file === '') return null;
  if (!existsSync(file)) throw new BadInput(`${DEVICE} is set to ${file}, which does not exist.`);
  return resolve(file);
}

/**
 * Scripts and request in one folder; for another machine also the config's own code, unless it is there already.
 */
function stageOf(
  subject: Subject,
  request: DryRunRequest,
  options: ProfileOptions,
  device: string | null,
): Promise<Stage> {
  const run = onlyRun(subject);
  const { remoteFolder } = options;
  const travels = options.entry !== undefined && isElsewhere(options) && remoteFolder === undefined;
  const modelFolder = travels ? 'code' : (remoteFolder ?? null);
  const model =
    request.model.kind === 'entry' && modelFolder !== null
      ? { ...request.model, folder: modelFolder }
      : request.model;
  return stage({
    code: travels ? subject.codeFolder : null,
    device,
    request: folder =>
      probeRequest(
        { ...request, model },
        {
          wanted: options.batch ?? request.rows,
          estimate: rowEstimate(run),
          timeoutSeconds: options.timeout,
          client: isElsewhere(options) ? null : process.pid,
          folder: isElsewhere(options) ? null : folder,
          device: device === null ? null : 'device.py',
        },
      ),
  });
}

/** Memory per row and fixed memory, of what torch reserves. */
function rowEstimate({ run, estimate }: RunAnalysis): RowEstimate | null {
  const rows = run.quantities.microBatchSize.value;
  const device = estimate?.devices[0];
  if (!device || rows === null) return null;
  const grown = device.terms.filter(({ from }) => from.includes('microBatchSize'));
  const grows = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  if (grows <= 0) return null;
  return { fixedBytes: Math.max(0, device.reserved.expected - grows), rowBytes: grows / rows };
}

async function jobOf(
  subject: Subject,
  analysis: RunAnalysis,
  { folder, script, request }: Stage,
  options: ProfileOptions,
): Promise<JobRequest> {
  const { run } = analysis;
  const place = placeOf(options);
  const python = isElsewhere(options)
    ? (options.python ?? 'python3')
    : (await interpreterFor(subject.folder, options.python)).executable;
  return {
    kind: 'profile',
    name: ['probe', subject.file.split('/').at(-1), run.name].filter(Boolean).join(' '),
    config: {
      file: join(subject.folder, subject.file.split('/').at(-1) ?? ''),
      digest: digestOf(analysis),
      run: run.name,
      dialect: run.dialect,
    },
    argv: [python, script, request],
    folder,
    environment: {},
    secrets: [],
    // The probe's files are in its own folder, wherever the code is.
    place: withoutFolder(place),
    gpus: { count: deviceFile() === null ? 1 : 0, uuids: [], needBytes: null },
    limits: { timeMinutes: options.time ?? null, cpus: null, memoryMiB: null, array: null, requeue: false },
    estimate: null,
    writes: [],
  };
}

export function withoutFolder(place: JobPlace): JobPlace {
  if (place.engine === 'ssh') return { ...place, folder: null };
  if (place.engine !== 'slurm') return place;
  const { engine, alias, partition } = place;
  return { engine, alias, partition };
}
