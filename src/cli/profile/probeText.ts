import { json, paragraphs, table, terminal } from '../../core/text/terminal';
import type { TerminalText } from '../../core/text/terminal';
import type { RunAnalysis } from '../../core/rules/analysis';
import type { Target } from '../../core/hardware/gpu';
import { BETWEEN, sumsOf } from '../../core/learn/correction';
import type { Measurement } from '../../core/learn/measurement';
import type { DeviceEstimate } from '../../core/memory/estimate';
import type { Metric, TermName } from '../../core/models/terms';
import { estimateRun } from '../../core/memory/estimateRun';
import { measuredPhaseText } from '../../core/memory/words';
import { formatBytes } from '../../core/units';
import { changed } from '../../core/dialects/change';
import { placeName } from '../../jobs/job';
import { measurementOf } from '../../profile/measure';
import { MOST_TRIES } from '../../profile/probe';
import type { BatchFound, Try } from '../../profile/probe';
import { version } from '../../../package.json';
import { EXIT } from '../exit';
import { placeOf } from '../jobs/place';
import type { Output } from '../output';
import { saveMeasurements } from './keep';
import { withRows } from './measured';
import type { ProfileOptions } from './options';
import { differenceWords, signedBytes } from './render';
import type { Subject } from './subject';
import { english } from '../../core/text/say';

/** The result of a probe. */
interface Probed {
  readonly tries: readonly Try[];
  readonly found: BatchFound;
}

/** Stores what ran, and reports the result: the rows, and where the estimate was off. */
export async function reportProbe(
  subject: Subject,
  run: RunAnalysis,
  { tries, found }: Probed,
  options: ProfileOptions,
  output: Output,
): Promise<void> {
  const ran = tries.filter(one => one.ran);
  const place = placeOf(options);
  const isHere = place.engine === 'local';
  const gpu = await gpuOf(subject, isHere ? run.target : null, ran.at(-1)?.gpu ?? null);
  const measurements = ran.flatMap(one => measurementsOf(run, one, gpu));
  const kept = isHere ? measurements : measurements.map(one => ({ ...one, place: placeName(place) }));
  await saveMeasurements(subject, kept, options, output);
  const shown = ran.find(({ rows }) => rows === run.run.quantities.microBatchSize.value) ?? ran.at(-1);
  const computed = shown ? computedFor(run, shown.rows) : null;
  if (options.json === true) {
    output.out(
      json(
        { schema: 'headroom-probe/1', ...found, tries, explained: shown ? explained(shown, computed) : null },
        2,
      ),
    );
  } else {
    output.out(`${subject.file}: ${answerOf(found)}. Tried: ${tries.map(triedWords).join(', ')}.`);
    if (shown) output.out(terminal`\n${explainedText(shown, computed)}`);
  }
  if (found.rows === null) process.exitCode = EXIT.exceeds;
}

function answerOf({ rows, certain, allowedBytes }: BatchFound): string {
  const allowed = formatBytes(allowedBytes);
  if (rows === null) return `not even one row fits in ${allowed}`;
  const how = certain ? ', one more does not fit' : ` (the most of ${MOST_TRIES} tries)`;
  return `${rows} ${rows === 1 ? 'row fits' : 'rows fit'} in ${allowed}${how}`;
}

const triedWords = ({ rows, ran, reservedBytes }: Try): string =>
  `${rows} ${ran ? formatBytes(reservedBytes) : 'no'}`;

/** The catalog's name if it knows the GPU. */
async function gpuOf(
  { session }: Subject,
  target: Target | null,
  name: string | null,
): Promise<string | null> {
  if (target?.kind === 'present' && target.gpu) return target.gpu.name;
  return name === null ? null : ((await session.world.gpuNamed?.(name))?.gpu?.name ?? name);
}

/**
 * One measurement per metric for the run's own rows: the memory that torch allocated, by term, and reserved, and
 * what the driver reported. For other rows one is enough as a data point of a line.
 */
function measurementsOf(run: RunAnalysis, one: Try, gpu: string | null): readonly Measurement[] {
  const at = new Date();
  const { versions, peak, deviceBytes } = one;
  const of = (metric: Metric, bytes: number): Measurement => {
    const terms = metric === 'allocated' ? (peak?.terms ?? null) : null;
    return measurementOf(run, { source: 'probe', at, metric, bytes, terms, versions, gpu, by: version });
  };
  const device = deviceBytes === null ? [] : [of('device', deviceBytes)];
  const reserved = of('reserved', one.reservedBytes);
  if (one.rows !== run.run.quantities.microBatchSize.value) {
    return [...device, reserved]
      .slice(0, 1)
      .map(other => ({ ...withRows(other, { batch: one.rows }), predicted: null }));
  }
  const allocated = of('allocated', one.allocatedBytes);
  return [peak ? { ...allocated, phase: peak.phase } : allocated, reserved, ...device];
}

/** The estimate of the same run with this number of rows. */
function computedFor({ run, model, target, estimate }: RunAnalysis, rows: number): DeviceEstimate | null {
  if (rows === run.quantities.microBatchSize.value) return estimate?.devices[0] ?? null;
  const other = changed(run, [{ quantity: 'microBatchSize', to: rows }]);
  const found = estimateRun(other, model, target);
  return found.ok ? (found.estimate.devices[0] ?? null) : null;
}

/** One row of the comparison; null: not measured, or not computed. */
interface Explained {
  readonly what: string;
  readonly computed: number | null;
  readonly probed: number | null;
}

const NAMED: readonly TermName[] = ['weights', 'adapters', 'gradients', 'optimizer states'];
const BETWEEN_WORDS = 'activations and other tensors';

/** The estimate next to the probe's own snapshots at its highest moment; rows add up to their sums. */
function explained(one: Try, device: DeviceEstimate | null): readonly Explained[] {
  const sums = device ? sumsOf(device.terms) : null;
  const seen = one.peak?.terms ?? {};
  const between = (terms: Readonly<Partial<Record<TermName, number>>>): number =>
    [...BETWEEN].reduce((sum, term) => sum + (terms[term] ?? 0), 0);
  const named = NAMED.filter(term => (seen[term] ?? 0) > 0 || (sums?.[term] ?? 0) > 0);
  const rest = one.peak ? Math.max(0, one.allocatedBytes - one.peak.bytes) : 0;
  return [
    ...named.map(term => ({ what: term, computed: sums && (sums[term] ?? 0), probed: seen[term] ?? 0 })),
    { what: BETWEEN_WORDS, computed: sums && between(sums), probed: between(seen) + rest },
    { what: 'torch allocated', computed: device?.allocated.expected ?? null, probed: one.allocatedBytes },
    {
      what: 'allocator slack (reserved minus allocated)',
      computed: device && device.reserved.expected - device.allocated.expected,
      probed: one.reservedBytes - one.allocatedBytes,
    },
    { what: 'torch reserved', computed: device?.reserved.expected ?? null, probed: one.reservedBytes },
    {
      what: CONTEXT,
      computed: device && device.device.expected - device.reserved.expected,
      probed: one.deviceBytes === null ? null : one.deviceBytes - one.reservedBytes,
    },
    { what: 'as nvidia-smi shows it', computed: device?.device.expected ?? null, probed: one.deviceBytes },
  ];
}

function explainedText(one: Try, device: DeviceEstimate | null): TerminalText {
  const rows = explained(one, device);
  const cell = (bytes: number | null): string => (bytes === null ? '' : formatBytes(bytes));
  const off = rows.filter(({ what }) => !SUMS.has(what)).flatMap(difference);
  const [most] = off.toSorted((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes));
  const compared = table(
    [
      [
        `${one.rows} ${one.rows === 1 ? 'row' : 'rows'}, ${measuredPhaseText(english, one.peak?.phase ?? '')}`,
        'computed',
        'probed',
        'more',
      ],
      ...rows.map(row => [
        row.what,
        cell(row.computed),
        cell(row.probed),
        difference(row)
          .map(({ bytes }) => signedBytes(bytes))
          .join(''),
      ]),
    ],
    { align: ['l', 'r', 'r', 'r'] },
  );
  const deviation = device ? differenceWords(one.reservedBytes, device.reserved.expected) : 'no estimate';
  const mostText = device && most ? ` Most of it: ${most.what}, ${signedBytes(most.bytes)}.` : '';
  return paragraphs([compared, `Torch reserved ${formatBytes(one.reservedBytes)}; ${deviation}.${mostText}`]);
}

const CONTEXT = 'CUDA context (device minus reserved)';

/** Sums, and memory outside torch: they do not explain what torch reserved. */
const SUMS: ReadonlySet<string> = new Set([
  'torch allocated',
  'torch reserved',
  CONTEXT,
  'as nvidia-smi shows it',
]);

const difference = ({ what, computed, probed }: Explained): readonly { what: string; bytes: number }[] =>
  computed === null || probed === null ? [] : [{ what, bytes: probed - computed }];
