import { OTHER_GAP } from '../memory/gap';
import { room, verdictWord } from '../memory/words';
import type { DeviceEstimate, Estimate, Verdict } from '../memory/estimate';
import type { Gap } from '../memory/gap';
import type { RunAnalysis, Tentative } from '../rules/analysis';
import type { QuantityName } from '../spec/values';
import { english } from '../text/say';
import { commas, toldList } from '../text/lists';
import type { Say } from '../text/say';
import { evidenceWord } from './evidence';
import { servedWord } from './served';
import { formatBytes, formatCapacity } from '../units';

/** The verdict in one line: `≈ 21.4 GB of 24 GB · fits · RTX 4090`. */
export function answer(analysis: RunAnalysis, say: Say = english): string {
  const { tentative, evidence } = analysis;
  const word = evidenceWord(say, evidence);
  const plain = word === null ? plainAnswer(say, analysis) : `${plainAnswer(say, analysis)} · ${word}`;
  return tentative ? `${plain} · ${tentatively(say, tentative)}` : plain;
}

/** The verdict for a narrow line: the assumptions about guessed keys are in its tooltip. */
export function lensAnswer(analysis: RunAnalysis, say: Say): string {
  const { tentative } = analysis;
  return answer(tentative ? { ...analysis, tentative: { ...tentative, assumed: [] } } : analysis, say);
}

/** The verdict of a run that was read by vocabulary: `keys guessed by name: perhaps fits`. */
function tentatively(say: Say, { perhaps, assumed }: Tentative): string {
  if (perhaps !== null) return say('keys guessed by name: perhaps {0}', verdictWord(say, perhaps));
  return assumed.length === 0
    ? say('keys guessed by name')
    : say('keys guessed by name, {0} assumed', commas(say, assumed.map(quantityWords)));
}

const quantityWords = (name: QuantityName): string => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

function plainAnswer(say: Say, analysis: RunAnalysis): string {
  const device = analysis.estimate?.devices[0];
  if (analysis.estimate?.onMachine) {
    return onMachineAnswer(say, analysis, analysis.estimate);
  }
  if (!device) return whyNoEstimate(say, analysis);
  const need = formatBytes(device.device.expected);
  if (device.capacityBytes === null) return say('≈ {0} per GPU · no GPU chosen', need);
  const gpus = analysis.run.quantities.gpus.value ?? analysis.target?.count ?? null;
  const amount = amountText(say, analysis, device);
  const served = servedWord(say, device);
  const judged = analysis.tentative
    ? amount
    : `${amount} · ${judgement(say, analysis.estimate, device)}${served === null ? '' : ` · ${served}`}`;
  if (gpus && gpus > 1) return `${judged} · ${gpus} × ${device.name}`;
  // A target that is an amount of memory has no other name.
  return device.name === formatCapacity(device.capacityBytes) ? judged : `${judged} · ${device.name}`;
}

/** GPUs of chips that share the system's memory say so. */
function amountText(say: Say, { target }: RunAnalysis, device: DeviceEstimate): string {
  const [need, size] = [formatBytes(device.device.expected), room(say, device)];
  return target?.gpu?.unified ? say('≈ {0} of {1} shared', need, size) : say('≈ {0} of {1}', need, size);
}

function judgement(say: Say, estimate: Estimate, { verdict, served }: DeviceEstimate): string {
  if (served && served.refusal !== null) return say('refuses to start');
  const guessed = guessedText(say, estimate, verdict);
  const { doubts = [] } = estimate;
  // Beside guesses, the tooltip names the assumption: a line has room for one reason.
  const isUnsharded = guessed === null && doubts.includes('unsharded');
  const open = verdict === 'unknown' && doubts.includes('uncut');
  const word = open ? say('the longest sample decides') : (guessed ?? verdictWord(say, verdict));
  const whole = offloaded(say, estimate, word);
  return isUnsharded ? `${whole} · ${say('assuming no sharding')}` : whole;
}

/** `unknown: 2 guesses`; the tooltip has them. Null: it is no guess. */
function guessedText(say: Say, { guesses = 0 }: Estimate, verdict: Verdict): string | null {
  if (verdict !== 'unknown' || guesses === 0) return null;
  return guesses === 1 ? say('unknown: 1 guess') : say('unknown: {0} guesses', guesses);
}

/** Weights that a device map leaves on the host: each pass copies them to the GPU. */
function offloaded(say: Say, { placed = [] }: Estimate, word: string): string {
  const bytes = (place: 'cpu' | 'disk'): number =>
    placed.filter(({ device }) => device === place).reduce((sum, one) => sum + one.bytes, 0);
  const parts = [
    ...(bytes('cpu') > 0 ? [say('{0} in RAM', formatBytes(bytes('cpu')))] : []),
    ...(bytes('disk') > 0 ? [say('{0} on disk', formatBytes(bytes('disk')))] : []),
  ];
  return parts.length > 0 ? say('{0} with {1}', word, commas(say, parts)) : word;
}

/** `Runs on the CPU: no GPU memory needed`, with host RAM if known. */
function onMachineAnswer(
  say: Say,
  { run: { quantities }, verdict, tentative }: RunAnalysis,
  { host }: Estimate,
): string {
  const need = host === null ? null : formatBytes(host.bytes.expected);
  if (quantities.accelerator.value === 'mps') {
    return need === null
      ? say("Runs on Apple's GPU · no Mac chosen")
      : say("Runs on Apple's GPU · ≈ {0} of the Mac's memory · no Mac chosen", need);
  }
  if (host === null || need === null) return say('Runs on the CPU: no GPU memory needed');
  if (host.capacityBytes === null) return say('Runs on the CPU: no GPU memory needed · ≈ {0} of RAM', need);
  const capacity = formatBytes(host.capacityBytes);
  return tentative
    ? say('Runs on the CPU · ≈ {0} of {1} RAM', need, capacity)
    : say('Runs on the CPU · ≈ {0} of {1} RAM · {2}', need, capacity, verdictWord(say, verdict));
}

/** Rules that report a missing fact and where it could come from. */
const ABOUT_MISSING: ReadonlySet<string> = new Set(['unknown-model', 'no-estimate']);

/** Sentences about why a run has no estimate and what to do. */
export function whyUnknown(
  { run: { quantities }, findings, missing, tentative, estimate }: RunAnalysis,
  say: Say = english,
): string {
  if (estimate?.onMachine) {
    return quantities.accelerator.value === 'mps'
      ? say("Runs on Apple's GPU, in the Mac's memory. Choose the Mac's chip as target, such as M3 Max 36GB.")
      : say('Runs on the CPU: no GPU memory needed. Set a GPU in the config to use one.');
  }
  if (tentative && estimate) {
    return say(
      "Headroom doesn't know this config format and guessed its keys by name, so it offers no plans. Run “Teach Headroom This Config Format” and correct what it got wrong.",
    );
  }
  const finding = findings.find(({ rule }) => ABOUT_MISSING.has(rule));
  return finding?.message ?? say('No memory estimate. Missing: {0}.', toldList(say, missing));
}

/** A path of a class: `src.models.module.LitModule`. */
const CLASS = /^(?:[a-z_]\w*\.)+([A-Z]\w+)$/;

/** What is missing, as a message: a verdict and one reason. */
function gapText(say: Say, gap: Gap, phrase: string): string {
  switch (gap.what) {
    case 'model':
      return say("Can't estimate: the config names no model");
    case 'architecture': {
      const [, own] = CLASS.exec(gap.name) ?? [];
      return own === undefined
        ? say("Can't estimate: model {0} isn't known", gap.name)
        : say("Can't estimate: custom model code ({0})", own);
    }
    case 'memory model':
      return say("Can't estimate: {0} models aren't supported yet", gap.name);
    case 'adapters':
      return say("Can't estimate: no key says which adapters are trained");
    case 'memory of the task':
      return say("Can't estimate: custom training code ({0})", gap.name);
    case 'GPU for a share':
      return say('Choose a GPU: {0} reserves a share of its memory', gap.name);
    case 'GPU':
      return say('Choose a GPU: {0}', phrase.replace(/^[^:]*: /, ''));
    case 'task':
    case 'other':
      return say("Can't estimate: needs {0}", phrase);
  }
}

/** A task is seldom known of a model that isn't. */
function whyNoEstimate(say: Say, { missing, gaps = [], networkWhy }: RunAnalysis): string {
  const all = missing.map((phrase, at) => ({ phrase, gap: gaps[at] ?? OTHER_GAP }));
  const [task, ...others] = all;
  const ofModel = others.find(({ gap }) => gap.what === 'model' || gap.what === 'architecture');
  const first = task?.gap.what === 'task' ? (ofModel ?? task) : task;
  if (first === undefined) return say("Can't estimate: needs more facts");
  const text = gapText(say, first.gap, first.phrase);
  const isUnnamed = first.gap.what === 'model';
  const ofCode = isUnnamed ? say("Can't estimate the network in the code") : text;
  const withReason = say('{0}: {1}', ofCode, networkWhy ?? '');
  const isAboutModel = isUnnamed || first === ofModel;
  return isAboutModel && networkWhy !== undefined && withReason.length <= MOST_LETTERS ? withReason : text;
}

/** A message in the editor is a verdict and one reason. */
const MOST_LETTERS = 90;
