import { room } from '../memory/words';
import { VERDICT_WORDS } from '../memory/words';
import type { RunAnalysis, Tentative } from '../rules/analysis';
import type { QuantityName } from '../spec/values';
import { evidenceWord } from './evidence';
import { formatBytes, formatCapacity } from '../units';

/** The answer in one line: `≈ 21.4 GB of 24 GB · fits · RTX 4090`. */
export function answer(analysis: RunAnalysis): string {
  const { tentative, evidence } = analysis;
  const word = evidenceWord(evidence);
  const plain = word === null ? plainAnswer(analysis) : `${plainAnswer(analysis)} · ${word}`;
  return tentative ? `${plain} · ${tentatively(tentative)}` : plain;
}

/** How far the answer of a reading by vocabulary goes: `keys guessed by name: perhaps fits`. */
function tentatively({ perhaps, assumed }: Tentative): string {
  if (perhaps !== null) return `keys guessed by name: perhaps ${VERDICT_WORDS[perhaps]}`;
  return assumed.length === 0
    ? 'keys guessed by name'
    : `keys guessed by name, ${assumed.map(inWords).join(', ')} assumed`;
}

const inWords = (name: QuantityName): string => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

function plainAnswer(analysis: RunAnalysis): string {
  const device = analysis.estimate?.devices[0];
  if (!device) return `GPU memory unknown · ${needs(analysis)}`;
  const need = `≈ ${formatBytes(device.device.expected)}`;
  if (device.capacityBytes === null) return `${need} per GPU · no GPU chosen`;
  const gpus = analysis.run.quantities.gpus.value;
  const amount = `${need} of ${room(device)}`;
  const judged = analysis.tentative ? amount : `${amount} · ${VERDICT_WORDS[device.verdict]}`;
  if (gpus && gpus > 1) return `${judged} · ${gpus} × ${device.name}`;
  // A target that is an amount of memory is named by it.
  return device.name === formatCapacity(device.capacityBytes) ? judged : `${judged} · ${device.name}`;
}

const NOT_PLANNED =
  "Headroom doesn't know this config format and guessed its keys by name, so it offers no plans. " +
  'Run “Teach Headroom This Config Format” and correct what it got wrong.';

/** Rules that say which fact is missing and where it could come from. */
const ABOUT_MISSING: ReadonlySet<string> = new Set(['unknown-model', 'no-estimate']);

/** Why a run has no estimate and what to do about it, in sentences. */
export function whyUnknown({ findings, missing, tentative, estimate }: RunAnalysis): string {
  if (tentative && estimate) return NOT_PLANNED;
  const said = findings.find(({ rule }) => ABOUT_MISSING.has(rule));
  return said?.message ?? `No memory estimate. Missing: ${missing.join('; ')}.`;
}

function needs({ missing: [first] }: RunAnalysis): string {
  return first === undefined ? 'needs more facts' : `needs ${first}`;
}
