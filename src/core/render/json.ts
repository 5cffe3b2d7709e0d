import { proofText } from '../plan/arithmetic';
import type { Analysis, RunAnalysis } from '../rules/analysis';
import type { Bytes, DeviceEstimate, Estimate, HostEstimate, PlacedOn, ServedRoom } from '../memory/estimate';
import type { MapProposal } from '../plan/deviceMap/proposal';
import type { Plan, PlanSearch, PlanStep } from '../plan/plan';
import type { PricedRemedy } from '../rules/remedy';
import { isTimed, runSpeed, serverSpeed } from '../plan/speed';
import { evidenceAsJson } from './evidence';
import { planTimeAsJson, servedSpeedAsJson, speedAsJson } from './speed';
import { dataAsJson } from './lengths';
import type { Finding } from '../rules/rule';
import type { Origin, Quantity } from '../spec/quantity';
import { withSingulars } from '../units';
import type { Json } from '../text/json';

/** The output of `check --json` and `explain --json`: schema `headroom/1`. Deterministic. */
export function analysesAsJson(analyses: readonly Analysis[]): Json {
  return filesAsJson(analyses.map(fileAsJson));
}

export function filesAsJson(files: readonly Json[]): Json {
  return { schema: 'headroom/1', files };
}

/** One file in the output of `check --json`. */
export function fileAsJson(analysis: Analysis): Json {
  const runs = analysis.runs.map(run => runAsJson(run));
  const findings = analysis.findings.map(findingAsJson);
  return {
    file: analysis.file,
    dialect: analysis.dialect,
    runs,
    ...(findings.length > 0 ? { findings } : {}),
  };
}

function runAsJson(analysis: RunAnalysis): Json {
  const { run } = analysis;
  const server = serverSpeed(analysis);
  return {
    name: run.name,
    spec: mapValues(run.quantities, quantityAsJson),
    details: mapValues(run.details, quantityAsJson),
    estimate: analysis.estimate && estimateAsJson(analysis.estimate),
    ...(analysis.evidence ? { evidence: evidenceAsJson(analysis.evidence) } : {}),
    ...(analysis.data ? { data: dataAsJson(analysis.data) } : {}),
    ...(isTimed(analysis) ? { speed: speedAsJson(runSpeed(analysis)) } : {}),
    ...(server ? { servedSpeed: servedSpeedAsJson(server) } : {}),
    missing: [...analysis.missing],
    findings: analysis.findings.map(findingAsJson),
  };
}

function mapValues<T>(from: Readonly<Record<string, T | undefined>>, to: (value: T) => Json): Json {
  const entries = Object.entries(from).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, to(value)] as const],
  );
  return Object.fromEntries(entries);
}

function quantityAsJson(quantity: Quantity<unknown>): Json {
  const { value, unit, origin, note } = quantity;
  return {
    value: value as Json,
    ...(unit ? { unit } : {}),
    ...originAsJson(origin, note),
  };
}

function originAsJson(origin: Origin, note: string | undefined): Readonly<Record<string, Json>> {
  const kind = { origin: origin.kind };
  const noteText = [explanation(origin), note].filter(text => text !== undefined && text !== '').join('; ');
  const tail = noteText === '' ? {} : { note: noteText };
  if (origin.kind !== 'file' && origin.kind !== 'referenced') return { ...kind, ...tail };
  return { ...kind, path: origin.at.path, file: origin.at.file, line: origin.at.line, ...tail };
}

/** The explanation of an origin without a location. */
function explanation(origin: Origin): string | undefined {
  switch (origin.kind) {
    case 'default':
      return `${origin.framework}${origin.version ? ` ${origin.version}` : ''}: ${origin.source}`;
    case 'derived':
      return withSingulars(origin.formula);
    case 'code':
      return origin.source;
    case 'user':
      return origin.setting;
    case 'unresolved':
      return origin.why;
    case 'file':
    case 'referenced':
      return undefined;
  }
}

function estimateAsJson(estimate: Estimate): Json {
  return {
    metric: 'device',
    peakPhase: estimate.devices[0]?.peakPhase ?? null,
    devices: estimate.devices.map(deviceAsJson),
    ...(estimate.placed && { placed: estimate.placed.map(placedAsJson) }),
    host: estimate.host ? hostAsJson(estimate.host) : null,
    notCounted: [...estimate.notCounted],
    assumptions: [...estimate.assumptions],
  };
}

export function deviceAsJson(device: DeviceEstimate): Json {
  return {
    name: device.name,
    capacityBytes: device.capacityBytes,
    bytes: bytesAsJson(device.device),
    verdict: device.verdict,
    allocatedBytes: bytesAsJson(device.allocated),
    reservedBytes: bytesAsJson(device.reserved),
    phases: device.phases.map(({ phase, bytes }) => ({ phase, bytes })),
    terms: device.terms.map(term => ({
      term: term.term,
      bytes: term.bytes,
      note: term.note ? `${term.formula}; ${term.note}` : term.formula,
    })),
    ...(device.served && { served: servedAsJson(device.served) }),
  };
}

const servedAsJson = (served: ServedRoom): Json => ({
  engine: served.engine,
  share: served.share,
  cacheTokens: served.tokens,
  requestsAtOnce: served.sequences,
  requestTokens: served.context,
  longestRequest: served.longest,
  cacheBytes: served.cacheBytes,
  weightsBytes: served.weightsBytes,
  activationBytes: served.activationBytes,
  besideTorchBytes: served.besideTorchBytes,
  graphsBytes: served.graphsBytes,
  refusal: served.refusal,
});

const placedAsJson = ({ device, modules, layers, bytes }: PlacedOn): Json => ({
  device,
  modules: [...modules],
  layers,
  bytes,
});

function hostAsJson({ phase, bytes, terms, capacityBytes }: HostEstimate): Json {
  return {
    peakPhase: phase,
    capacityBytes,
    bytes: bytesAsJson(bytes),
    terms: terms.map(term => ({ term: term.term, bytes: bytesAsJson(term.bytes), note: term.formula })),
  };
}

const bytesAsJson = ({ low, expected, high }: Bytes): Json => ({ low, expected, high });

function findingAsJson(finding: Finding): Json {
  const { rule, severity, file, line, column, path, message } = finding;
  return { rule, severity, file, line, column, path, message, remedies: finding.remedies.map(remedyAsJson) };
}

/** A remedy or plan in the JSON output: with keys and values, without offsets. */
export function remedyAsJson(remedy: PricedRemedy): Readonly<Record<string, Json>> {
  return {
    title: remedy.title,
    effect: remedy.effect,
    edits: remedy.edits.map(({ file, path, from, to }) => ({ file, path, from, to })),
  };
}

/** The output of `optimize --json`. */
export function plansAsJson(file: string, chosen: RunAnalysis, search: PlanSearch): Json {
  return {
    schema: 'headroom/1',
    file,
    run: chosen.run.name,
    verdict: chosen.verdict,
    plans: search.plans.map(planAsJson),
    tried: search.tried,
    rejected: search.rejected.map(({ remedy, why }) => ({ remedy, why })),
    advice: search.advice.map(({ text, why }) => ({ text, why })),
    ...(search.least && { least: deviceAsJson(search.least) }),
    ...(search.fittingGpus && { takers: search.fittingGpus.map(gpu => ({ ...gpu })) }),
    ...(search.deviceMap && { deviceMap: mapAsJson(search.deviceMap) }),
  };
}

function mapAsJson(proposal: MapProposal): Json {
  const { kind, map, maxMemory, placed, devices, thresholds, supposedTokens, fewerBits } = proposal;
  return {
    kind,
    deviceMap: map,
    maxMemoryGiB: maxMemory,
    placed: placed.map(placedAsJson),
    devices: devices.map(deviceAsJson),
    thresholdBytes: { ...thresholds },
    ...(fewerBits && { fewerBits: { ...fewerBits } }),
    ...(supposedTokens !== null && { supposedTokens }),
  };
}

export function planAsJson(plan: Plan): Json {
  return {
    ...remedyAsJson(plan),
    arithmetic: plan.arithmetic.map(proofText),
    time: plan.price.time,
    ...(plan.time && { computedTime: planTimeAsJson(plan.time) }),
    reason: plan.reason,
    ...(plan.gpus !== null && { gpus: plan.gpus }),
    ...(plan.step && { step: stepAsJson(plan.step) }),
    before: plan.before && deviceAsJson(plan.before),
    after: deviceAsJson(plan.after),
  };
}

const stepAsJson = ({ kind, edits, share, rates }: PlanStep): Json => ({
  kind,
  edits: edits.map(({ file, path, from, to }) => ({ file, path, from, to })),
  share,
  learningRates: rates.map(({ path, was, is }) => ({ path, from: was, to: is })),
});
