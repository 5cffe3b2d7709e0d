import { join } from 'node:path';
import type { RunAnalysis } from '../../core/rules/analysis';
import { JobError } from '../../jobs/engine';
import type { JobRequest } from '../../jobs/job';
import { digestOf } from '../../jobs/request';
import { ProbeReader, probeRequest } from '../../profile/probe';
import type { RowEstimate } from '../../profile/probe';
import { planDryRun } from '../../profile/profileRun';
import type { Follow } from '../../profile/follow';
import { ProfileError } from '../../profile/answers';
import type { DryRunRequest } from '../../profile/request';
import { openJobsHere } from '../jobs/open';
import { placeOf } from '../jobs/place';
import { EXIT } from '../exit';
import { BadInput } from '../output';
import type { Output } from '../output';
import { interruption } from './dry';
import { helpersFolder } from './interpreter';
import type { ProfileOptions } from './options';
import { deviceFile, probeRequestOf, runProbe, whyNoAnswer } from './probeJob';
import { reportProbe } from './probeText';
import { refusedText } from './render';
import { codeFor, stage } from './stage';
import type { Stage } from './stage';
import { entryOf } from './subject';
import type { Subject } from './subject';

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
  const why = planned.ok ? whyNotProbed(planned) : planned.why;
  if (!planned.ok || why.length > 0) {
    refused(run, why, output);
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
      { stage: staged, request, reader, queue: options.queue === true, progress },
      signal,
    );
    if (reader.problem) throw reader.problem;
    if (reader.tries.length === 0 || !reader.found) {
      throw new ProfileError('failed', whyNoAnswer(record, 'probe'));
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

/** Steps without a part of the run, or with rows that a probe does not make, would measure another run. */
const whyNotProbed = ({ added, request }: Follow & { ok: true }): readonly string[] => [
  ...(added ? [`its steps would lack ${added.what.join(', ')}; use code that has them with --entry`] : []),
  ...(request.preference
    ? ['its rows are pairs, which a probe does not support; use your own code with --entry']
    : []),
];

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

/**
 * Scripts and request in one folder; for another machine also the config's own code, unless it is there already.
 */
async function stageOf(
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
    code: travels ? await codeFor(placeOf(options), subject.codeFolder) : null,
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
  staged: Stage,
  options: ProfileOptions,
): Promise<JobRequest> {
  const { run } = analysis;
  const file = subject.file.split('/').at(-1) ?? '';
  const name = ['probe', file, run.name].filter(Boolean).join(' ');
  return {
    ...(await probeRequestOf(name, staged, subject.folder, options)),
    config: {
      file: join(subject.folder, file),
      digest: digestOf(analysis),
      run: run.name,
      dialect: run.dialect,
    },
  };
}
