import type { RunAnalysis } from '../../core/analysis';
import { formatBytes } from '../../core/render/units';
import { measurementOf } from '../../profile/measure';
import { MOST_TRIALS, searchBatch } from '../../profile/probe';
import type { Search } from '../../profile/probe';
import { planDryRun } from '../../profile/profileRun';
import { ProfileError } from '../../profile/script';
import { version } from '../../../package.json';
import { EXIT } from '../exit';
import { BadInput } from '../output';
import type { Output } from '../output';
import { interruption } from './dry';
import { helpersFolder, interpreterFor } from './interpreter';
import { keep } from './keep';
import { withRows } from './measured';
import type { ProfileOptions } from './options';
import { refusedText } from './render';
import type { Subject } from './subject';

const MIB = 2 ** 20;
/** Of what is free now: others on the GPU may need a little more, and so may the CUDA context. */
const MARGIN = 0.9;
/** No estimate, no room known: what a search begins with. */
const UNKNOWN_FIRST = 1;
const MOST_ROWS = 65_536;

/** `headroom profile FILE --probe`: real steps, and the largest batch of one GPU. */
export async function probes(subject: Subject, options: ProfileOptions, output: Output): Promise<void> {
  const found = await interpreterFor(subject.folder, options.python);
  const run = onlyRun(subject);
  const { target } = run;
  if (target?.kind !== 'present') {
    throw new BadInput('A probe makes real steps on a GPU, and none was found here: a dry run needs none.');
  }
  const entry =
    options.entry === undefined
      ? null
      : {
          entry: options.entry,
          folder: subject.folder,
          settings: subject.settings,
          rows: options.batch ?? null,
        };
  const planned = await planDryRun(run, subject.session.world, entry, {
    cacheFolder: helpersFolder(),
    layers: 'all',
  });
  if (!planned.ok) {
    process.exitCode = EXIT.undecided;
    output.out(refusedText(run, planned.why, output.paint));
    return;
  }
  const allowedBytes = (target.usableMiB - target.busyMiB) * MIB * MARGIN;
  const signal = interruption();
  try {
    const search = await searchBatch(
      found.interpreter,
      planned.request,
      { first: firstRows(run, allowedBytes), most: MOST_ROWS },
      {
        allowedBytes,
        timeoutMs: options.timeout * 1000,
        folder: entry ? subject.folder : null,
        progress: text => output.err(`${text} …`),
      },
      signal,
    );
    await told(subject, run, search, allowedBytes, options, output);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    process.exitCode = EXIT.undecided;
    output.out(refusedText(run, [error.message.replace(/\.$/, '')], output.paint));
  } finally {
    signal.dispose();
  }
}

function onlyRun({ computed, file }: Subject): RunAnalysis {
  const [run, ...others] = computed;
  if (run && others.length === 0) return run;
  const names = computed.map(one => one.run.name).join(', ');
  throw new BadInput(`${file} has several runs: say which one with --run (${names}).`);
}

/** The rows at which the estimate fills what is allowed; what does not grow with them stays. */
function firstRows({ run, estimate }: RunAnalysis, allowedBytes: number): number {
  const rows = run.quantities.microBatchSize.value ?? UNKNOWN_FIRST;
  const device = estimate?.devices[0];
  if (!device) return rows;
  const grown = device.terms.filter(({ from }) => from.includes('microBatchSize'));
  const grows = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  if (grows <= 0) return rows;
  return Math.max(1, Math.floor((rows * (allowedBytes - (device.device.expected - grows))) / grows));
}

async function told(
  subject: Subject,
  run: RunAnalysis,
  { found, probed }: Search,
  allowedBytes: number,
  options: ProfileOptions,
  output: Output,
): Promise<void> {
  for (const { rows, reservedBytes, versions } of probed) {
    const taken = { source: 'probe', at: new Date(), metric: 'reserved', bytes: reservedBytes } as const;
    const gpu = run.target?.gpu?.name ?? null;
    const own = measurementOf(run, { ...taken, terms: null, versions, gpu, by: version });
    const asked = rows === run.run.quantities.microBatchSize.value;
    const measurement = asked ? own : { ...withRows(own, { batch: rows }), predicted: null };
    await keep(subject, measurement, options, output);
  }
  const allowed = formatBytes(allowedBytes);
  const tried = found.tried.map(({ rows, bytes }) => `${rows} ${bytes === null ? 'no' : formatBytes(bytes)}`);
  const answer =
    found.rows === null
      ? `not even one row runs in ${allowed}`
      : `${found.rows} rows run in ${allowed}${found.certain ? ', one more does not' : ` (the most of ${MOST_TRIALS} tries)`}`;
  if (options.json === true) {
    const { rows, certain } = found;
    output.out(
      JSON.stringify(
        { schema: 'headroom-probe/1', rows, certain, allowedBytes, tried: found.tried },
        null,
        2,
      ),
    );
  } else output.out(`${subject.file}: ${answer}. Tried: ${tried.join(', ')}.`);
  if (found.rows === null) process.exitCode = EXIT.exceeds;
}
