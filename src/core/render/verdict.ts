import { NO_SHARDING, room, UNCUT, VERDICT_WORDS } from '../memory/words';
import type { DeviceEstimate, Estimate, Verdict } from '../memory/estimate';
import type { RunAnalysis, Tentative } from '../rules/analysis';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import { evidenceWord } from './evidence';
import { servedWord } from './served';
import { formatBytes, formatCapacity } from '../units';

/** The verdict in one line: `≈ 21.4 GB of 24 GB · fits · RTX 4090`. */
export function answer(analysis: RunAnalysis): string {
  const { tentative, evidence } = analysis;
  const word = evidenceWord(evidence);
  const plain = word === null ? plainAnswer(analysis) : `${plainAnswer(analysis)} · ${word}`;
  return tentative ? `${plain} · ${tentatively(tentative)}` : plain;
}

/** The verdict for a narrow line: the assumptions about guessed keys are in its tooltip. */
export function lensAnswer(analysis: RunAnalysis): string {
  const { tentative } = analysis;
  return answer(tentative ? { ...analysis, tentative: { ...tentative, assumed: [] } } : analysis);
}

/** The verdict of a run that was read by vocabulary: `keys guessed by name: perhaps fits`. */
function tentatively({ perhaps, assumed }: Tentative): string {
  if (perhaps !== null) return `keys guessed by name: perhaps ${VERDICT_WORDS[perhaps]}`;
  return assumed.length === 0
    ? 'keys guessed by name'
    : `keys guessed by name, ${assumed.map(quantityWords).join(', ')} assumed`;
}

const quantityWords = (name: QuantityName): string => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

function plainAnswer(analysis: RunAnalysis): string {
  const device = analysis.estimate?.devices[0];
  if (analysis.estimate?.onMachine) return onMachineAnswer(analysis.run, analysis.estimate, analysis.verdict);
  if (!device) return whyNoEstimate(analysis);
  const need = `≈ ${formatBytes(device.device.expected)}`;
  if (device.capacityBytes === null) return `${need} per GPU · no GPU chosen`;
  const gpus = analysis.run.quantities.gpus.value ?? analysis.target?.count ?? null;
  const amount = `${need} of ${room(device)}${sharedText(analysis)}`;
  const served = servedWord(device);
  const judged = analysis.tentative
    ? amount
    : `${amount} · ${judgement(analysis.estimate, device)}${served === null ? '' : ` · ${served}`}`;
  if (gpus && gpus > 1) return `${judged} · ${gpus} × ${device.name}`;
  // A target that is an amount of memory has no other name.
  return device.name === formatCapacity(device.capacityBytes) ? judged : `${judged} · ${device.name}`;
}

/** GPUs of chips that share the system's memory say so. */
const sharedText = ({ target }: RunAnalysis): string => (target?.gpu?.unified ? ' shared' : '');

function judgement(estimate: Estimate, { verdict, served }: DeviceEstimate): string {
  if (served && served.refusal !== null) return 'refuses to start';
  const guessed = guessedText(estimate, verdict);
  // Beside guesses, the tooltip names the assumption: a line has room for one reason.
  const isUnsharded = guessed === '' && estimate.assumptions.includes(NO_SHARDING);
  const open = verdict === 'unknown' && estimate.assumptions.some(one => one.endsWith(UNCUT));
  const word = open ? UNCUT : `${VERDICT_WORDS[verdict]}${guessed}`;
  return `${word}${offloaded(estimate)}${isUnsharded ? ' · assuming no sharding' : ''}`;
}

/** `unknown: 2 guesses`; the tooltip has them. */
const guessedText = ({ guesses = 0 }: Estimate, verdict: Verdict): string =>
  verdict === 'unknown' && guesses > 0 ? `: ${guesses === 1 ? '1 guess' : `${guesses} guesses`}` : '';

/** Weights that a device map leaves on the host: each pass copies them to the GPU. */
function offloaded({ placed = [] }: Estimate): string {
  const bytes = (place: 'cpu' | 'disk'): number =>
    placed.filter(({ device }) => device === place).reduce((sum, one) => sum + one.bytes, 0);
  const parts = [
    ...(bytes('cpu') > 0 ? [`${formatBytes(bytes('cpu'))} in RAM`] : []),
    ...(bytes('disk') > 0 ? [`${formatBytes(bytes('disk'))} on disk`] : []),
  ];
  return parts.length > 0 ? ` with ${parts.join(', ')}` : '';
}

/** `Runs on the CPU: no GPU memory needed`, with host RAM if known. */
function onMachineAnswer({ quantities }: RunSpec, { host }: Estimate, verdict: Verdict): string {
  if (quantities.accelerator.value === 'mps') {
    const needed = host === null ? '' : ` · ≈ ${formatBytes(host.bytes.expected)} of the Mac's memory`;
    return `Runs on Apple's GPU${needed} · no Mac chosen`;
  }
  const plain = 'Runs on the CPU: no GPU memory needed';
  if (host === null) return plain;
  const need = `≈ ${formatBytes(host.bytes.expected)}`;
  if (host.capacityBytes === null) return `${plain} · ${need} of RAM`;
  return `Runs on the CPU · ${need} of ${formatBytes(host.capacityBytes)} RAM · ${VERDICT_WORDS[verdict]}`;
}

const NOT_PLANNED =
  "Headroom doesn't know this config format and guessed its keys by name, so it offers no plans. " +
  'Run “Teach Headroom This Config Format” and correct what it got wrong.';

/** Rules that report a missing fact and where it could come from. */
const ABOUT_MISSING: ReadonlySet<string> = new Set(['unknown-model', 'no-estimate']);

/** Sentences about why a run has no estimate and what to do. */
export function whyUnknown({
  run: { quantities },
  findings,
  missing,
  tentative,
  estimate,
}: RunAnalysis): string {
  if (estimate?.onMachine) {
    return quantities.accelerator.value === 'mps'
      ? "Runs on Apple's GPU, in the Mac's memory. Choose the Mac's chip as target, such as M3 Max 36GB."
      : 'Runs on the CPU: no GPU memory needed. Set a GPU in the config to use one.';
  }
  if (tentative && estimate) return NOT_PLANNED;
  const finding = findings.find(({ rule }) => ABOUT_MISSING.has(rule));
  return finding?.message ?? `No memory estimate. Missing: ${missing.join('; ')}.`;
}

/** Phrases about missing facts, with their message: a verdict and one reason. */
const WHY_NOT: readonly (readonly [RegExp, string])[] = [
  [/^the model$/, "Can't estimate: the config names no model"],
  [/^the architecture of (?:[a-z_]\w*\.)+([A-Z]\w+)$/, "Can't estimate: custom model code ($1)"],
  [/^the architecture of (.+)$/, "Can't estimate: model $1 isn't known"],
  [/^the memory model of (.+) models$/, "Can't estimate: $1 models aren't supported yet"],
  [/^which adapters are trained$/, "Can't estimate: no key says which adapters are trained"],
  [/^the dtype of the weights$/, "Can't estimate: weight precision isn't set"],
  [/^how much memory (.+) takes on top of the model$/, "Can't estimate: custom training code ($1)"],
  [/^the GPUs?: (\w+) takes a share of its memory$/, 'Choose a GPU: $1 reserves a share of its memory'],
  [/^the GPUs?: (.+)$/, 'Choose a GPU: $1'],
  [/^(.+)$/, "Can't estimate: needs $1"],
];

/** A task is seldom known of a model that isn't. */
function whyNoEstimate({ missing: [task, ...others], networkWhy }: RunAnalysis): string {
  const ofModel = others.find(one => one === 'the model' || one.startsWith('the architecture of '));
  const first = task === 'the task' ? (ofModel ?? task) : task;
  if (first === undefined) return "Can't estimate: needs more facts";
  const [pattern, replacement] = WHY_NOT.find(([one]) => one.test(first)) ?? [];
  const text = pattern && replacement !== undefined ? first.replace(pattern, replacement) : first;
  const ofCode = first === 'the model' ? "Can't estimate the network in the code" : text;
  const withReason = `${ofCode}: ${networkWhy ?? ''}`;
  const isAboutModel = first === 'the model' || first === ofModel;
  return isAboutModel && networkWhy !== undefined && withReason.length <= MOST_LETTERS ? withReason : text;
}

/** A message in the editor is a verdict and one reason. */
const MOST_LETTERS = 90;
