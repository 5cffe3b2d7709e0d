import type { DeviceEstimate } from '../memory/estimate';
import type { RunOutcome } from '../plan/outcome';
import type { KeyEdit } from '../yaml/keyEdit';
import { basename } from '../text/paths';
import { label } from '../text/visible';
import { formatBytes } from '../units';
import { room, verdictWord } from '../memory/words';
import { MIB } from '../units';
import { english } from '../text/say';
import { commas } from '../text/lists';
import type { Say } from '../text/say';

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
  say: Say = english,
): readonly PartText[] {
  return edits.map((edit, i) => {
    const outcome = without[i] ?? null;
    const description =
      outcome && whole ? say('without it: {0}', commas(say, differences(say, outcome, whole))) : '';
    return { label: label(partLabel(edit, file, say)), description: label(description) };
  });
}

/** `micro_batch_size 4 → 2`, `bf16: true (new) in base.yaml`. */
export function partLabel(
  { path, from, to, file: editFile }: KeyEdit,
  file: string,
  say: Say = english,
): string {
  const partText = from === null ? say('{0}: {1} (new)', path, to) : `${path} ${from} → ${to}`;
  return editFile === file ? partText : say('{0} in {1}', partText, basename(editFile));
}

function differences(say: Say, outcome: RunOutcome, whole: RunOutcome): string[] {
  const texts: string[] = [];
  const { device, effectiveBatch } = outcome;
  const planned = whole.device;
  if (device && planned && isOther(device, planned)) {
    texts.push(formatBytes(device.device.expected), verdictWord(say, device.verdict));
  }
  if (!device && planned) texts.push(say('memory need unknown'));
  if (effectiveBatch !== null && effectiveBatch !== whole.effectiveBatch) {
    texts.push(
      whole.effectiveBatch === null
        ? say('effective batch {0}', effectiveBatch)
        : say('effective batch {0} instead of {1}', effectiveBatch, whole.effectiveBatch),
    );
  }
  const fresh = outcome.problems.find(problem => !whole.problems.includes(problem));
  if (texts.length === 0 && fresh !== undefined) texts.push(firstSentence(fresh));
  return texts.length > 0 ? texts : [say('memory and effective batch as planned')];
}

const isOther = (one: DeviceEstimate, other: DeviceEstimate): boolean =>
  one.verdict !== other.verdict || Math.abs(one.device.expected - other.device.expected) >= MIB;

/** Characters of a row without its label. */
const ROW = 90;

function firstSentence(text: string): string {
  const [sentence = ''] = text.split(/[.;] |[。；]/, 1);
  const shown = sentence.length > ROW ? `${sentence.slice(0, ROW - 1)}…` : sentence;
  return shown.charAt(0).toLowerCase() + shown.slice(1);
}

/**
 * The result after some changes of a plan were left out: the new need, and whether the effective batch size is
 * unchanged. Sentences.
 */
export function partialText(before: RunOutcome, now: RunOutcome | null, say: Say = english): string {
  const device = now?.device;
  if (!now || !device) return say('The memory need of the run is unknown.');
  const need = formatBytes(device.device.expected);
  const memory =
    device.capacityBytes === null
      ? say('The run now needs ≈ {0} per GPU.', need)
      : say(
          'The run now needs ≈ {0} of {1}: {2}.',
          need,
          room(say, device),
          verdictWord(say, device.verdict),
        );
  const [was, is] = [before.effectiveBatch, now.effectiveBatch];
  if (is === null) return memory;
  const batch =
    was === is || was === null
      ? say('The effective batch stays {0}.', is)
      : say('The effective batch becomes {0} instead of {1}.', is, was);
  return say('{0} {1}', memory, batch);
}

/** A comment with the keys' previous values, valid for any part of the plan; `gpu`: the plan's target. */
export function formerValues(edits: readonly KeyEdit[], gpu: string, file: string): string {
  const formerTexts = edits.map(({ path, from, file: editFile }) => {
    const place = editFile === file ? '' : ` in ${basename(editFile)}`;
    return `${path}${place} ${from ?? '(not set)'}`;
  });
  return `Before Headroom's plan for ${gpu}: ${formerTexts.join(', ')}`.replace(/\s+/g, ' ');
}
