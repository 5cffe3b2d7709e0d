import type { DeviceEstimate } from '../memory/estimate';
import type { RunOutcome } from '../plan/outcome';
import type { KeyEdit } from '../yaml/keyEdit';
import { basename } from '../text/paths';
import { label } from '../text/visible';
import { formatBytes } from '../units';
import { room, VERDICT_WORDS } from '../memory/words';
import { MIB } from '../units';

/** One change of a plan that can be chosen separately. */
export interface PartText {
  /** `micro_batch_size 4 → 2`; names the file if it is not `file`. */
  readonly label: string;
  /** The outcome if all other changes are applied: `without it: 27.2 GB, does not fit`. */
  readonly description: string;
}

/** `without` has an outcome for each edit: that of all the others. */
export function partTexts(
  edits: readonly KeyEdit[],
  whole: RunOutcome | null,
  without: readonly (RunOutcome | null)[],
  file: string,
): readonly PartText[] {
  return edits.map((edit, i) => {
    const outcome = without[i] ?? null;
    const description = outcome && whole ? `without it: ${differences(outcome, whole).join(', ')}` : '';
    return { label: label(partLabel(edit, file)), description: label(description) };
  });
}

/** `micro_batch_size 4 → 2`, `bf16: true (new) in base.yaml`. */
export function partLabel({ path, from, to, file: editFile }: KeyEdit, file: string): string {
  const partText = from === null ? `${path}: ${to} (new)` : `${path} ${from} → ${to}`;
  return editFile === file ? partText : `${partText} in ${basename(editFile)}`;
}

function differences(outcome: RunOutcome, whole: RunOutcome): string[] {
  const texts: string[] = [];
  const { device, effectiveBatch } = outcome;
  const planned = whole.device;
  if (device && planned && isOther(device, planned)) {
    texts.push(`${formatBytes(device.device.expected)}, ${VERDICT_WORDS[device.verdict]}`);
  }
  if (!device && planned) texts.push('memory need unknown');
  if (effectiveBatch !== null && effectiveBatch !== whole.effectiveBatch) {
    texts.push(`effective batch ${effectiveBatch}${insteadOf(whole.effectiveBatch)}`);
  }
  const fresh = outcome.problems.find(problem => !whole.problems.includes(problem));
  if (texts.length === 0 && fresh !== undefined) texts.push(firstSentence(fresh));
  return texts.length > 0 ? texts : ['memory and effective batch as planned'];
}

const isOther = (one: DeviceEstimate, other: DeviceEstimate): boolean =>
  one.verdict !== other.verdict || Math.abs(one.device.expected - other.device.expected) >= MIB;

const insteadOf = (batch: number | null): string => (batch === null ? '' : ` instead of ${batch}`);

/** Characters of a row without its label. */
const ROW = 90;

function firstSentence(text: string): string {
  const [sentence = ''] = text.split(/[.;] /, 1);
  const shown = sentence.length > ROW ? `${sentence.slice(0, ROW - 1)}…` : sentence;
  return shown.charAt(0).toLowerCase() + shown.slice(1);
}

/**
 * The result after some changes of a plan were left out: the new need, and whether the effective batch size is
 * unchanged. Sentences.
 */
export function partialText(before: RunOutcome, now: RunOutcome | null): string {
  const device = now?.device;
  if (!now || !device) return 'The memory need of the run is unknown.';
  const need = `≈ ${formatBytes(device.device.expected)}`;
  const memory =
    device.capacityBytes === null
      ? `The run now needs ${need} per GPU.`
      : `The run now needs ${need} of ${room(device)}: ${VERDICT_WORDS[device.verdict]}.`;
  const [was, is] = [before.effectiveBatch, now.effectiveBatch];
  if (is === null) return memory;
  const batch = was === is || was === null ? `stays ${is}` : `becomes ${is} instead of ${was}`;
  return `${memory} The effective batch ${batch}.`;
}

/** A comment with the keys' previous values, valid for any part of the plan; `gpu`: the plan's target. */
export function formerValues(edits: readonly KeyEdit[], gpu: string, file: string): string {
  const formerTexts = edits.map(({ path, from, file: editFile }) => {
    const place = editFile === file ? '' : ` in ${basename(editFile)}`;
    return `${path}${place} ${from ?? '(not set)'}`;
  });
  return `Before Headroom's plan for ${gpu}: ${formerTexts.join(', ')}`.replace(/\s+/g, ' ');
}
