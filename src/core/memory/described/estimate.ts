import type { Target } from '../../hardware/gpu';
import type { Description } from '../../models/description';
import { formatBytes, MIB } from '../../units';
import type { RunSpec } from '../../spec/runSpec';
import { calibration } from '../calibration';
import type { Spread } from '../calibration';
import { contextBytes, libraryWorkspaces } from '../context';
import { judged } from '../estimate';
import type { Bytes, DeviceEstimate, EstimateResult, Term } from '../estimate';
import type { Metric, TermName } from '../../models/terms';
import { interval } from '../interval';
import { RunQuestions } from '../setup/questions';
import { isInference } from '../setup/task';
import { estimateAlongLine } from './line';
import { loadOf } from './rows';
import type { Described, Rows } from './rows';
import { phrase } from '../../text/say';

/** Terms that grow with a step's computation; the others belong to the model. */
const GROWING: ReadonlySet<TermName> = new Set([
  'activations',
  'logits and loss',
  'kv cache',
  'inputs and buffers',
]);

/** A table of components has no uncertainty: numbers may be rounded or for other settings. */
const SPREAD = { below: 0.15, above: 0.15 };

/** Each component of the described run, scaled by samples, tokens and rows if it grows with them. */
function estimateByComponents({ components, at }: Description, rows: Rows): Described {
  const described = at ?? rows;
  const load = loadOf(rows, [described]);
  const times = load(rows) / load(described);
  const terms = components.map(({ term, bytes }) => {
    const grows = GROWING.has(term);
    return {
      term,
      bytes: grows ? bytes * times : bytes,
      formula: grows ? `as described, times ${Number(times.toPrecision(3))}` : 'as described',
      from: grows ? ['microBatchSize', 'seqLen'] : ['model'],
    };
  });
  return {
    bytes: terms.reduce((sum, { bytes }) => sum + bytes, 0),
    spread: SPREAD,
    terms,
    says: phrase`memory as described for batches of ${described.batch}, growing with the batch where it does`,
  };
}

/** The memory of a described model's run, from its measurements. */
export function describedRun(run: RunSpec, description: Description, target: Target | null): EstimateResult {
  const questions = new RunQuestions(run);
  const batch = questions.needed('microBatchSize', 'the micro batch size');
  if (batch === null) return { ok: false, missing: questions.missing, gaps: questions.gaps };
  const rows: Rows = {
    batch,
    sequence: questions.value('seqLen'),
    sequences: questions.detail('sequencesPerSample'),
  };
  const found =
    description.measured.length > 0
      ? estimateAlongLine(description, rows, heldBytes(description.metric, target))
      : estimateByComponents(description, rows);
  const device = deviceOf(found, description.metric, target, isInference(questions));
  const assumptions = [found.says, ...questions.assumptions];
  return {
    ok: true,
    estimate: {
      devices: [device],
      host: null,
      notCounted: ['what the described run did not have'],
      assumptions,
    },
  };
}

/** Memory of a process on a GPU for any computation, as the metric sees it: its context, and a cuBLAS workspace. */
function heldBytes(metric: Metric, target: Target | null): number {
  const [workspace = 0] = libraryWorkspaces(target, 1);
  return workspace + (metric === 'device' ? contextBytes(target) : 0);
}

/** Reserved over allocated memory in a typical run. */
const RESERVED_SHARE = calibration.typicalShares.kept.value;

/** Metrics that were not measured follow from the measured one, with more uncertainty. */
const OTHER_METRIC: Spread = { below: 0.15, above: 0.2 };

function deviceOf(
  { bytes, spread, terms }: Described,
  metric: Metric,
  target: Target | null,
  infers: boolean,
): DeviceEstimate {
  const context = contextBytes(target);
  const reserved = {
    device: Math.max(0, bytes - context),
    reserved: bytes,
    allocated: bytes * RESERVED_SHARE,
  }[metric];
  const allocated = metric === 'allocated' ? bytes : reserved / RESERVED_SHARE;
  const expected = {
    device: Math.max(bytes, reserved),
    reserved: reserved + context,
    allocated: reserved + context,
  }[metric];
  const usable = target && (target.usableMiB - target.busyMiB) * MIB;
  const amount = (of: Metric, value: number): Bytes =>
    interval(value, of === metric ? spread : together(spread, OTHER_METRIC));
  const device = amount('device', expected);
  const peakPhase = infers ? 'forward' : 'backward';
  return judged({
    name: target?.name ?? 'per GPU',
    capacityBytes: target && target.totalMiB * MIB,
    usableBytes: usable,
    device,
    reserved: amount('reserved', reserved),
    allocated: amount('allocated', allocated),
    verdict: 'unknown',
    peakPhase,
    phases: [{ phase: peakPhase, bytes: allocated }],
    terms: [...terms, ...outsideTerms(expected - bytes)],
  });
}

const together = (a: Spread, b: Spread): Spread => ({
  below: Math.hypot(a.below, b.below),
  above: Math.hypot(a.above, b.above),
});

/** Additional memory in nvidia-smi beyond the description's metric. */
function outsideTerms(bytes: number): readonly Term[] {
  if (bytes <= 0) return [];
  const formula = `${formatBytes(bytes)} beyond what was measured: context and the allocator's slack`;
  return [{ term: 'cuda context', bytes, formula, from: [] }];
}
