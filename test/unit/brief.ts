import assert from 'node:assert/strict';

/** A verdict and one reason must be readable at a glance: the maximum number of characters before the advice. */
const LONGEST = 90;

/** Replaces a path, a model or a value of the user's own, which may have any length. */
const SHORT = 'short-name';

/** Paths, models of the Hub and file names; not units such as `tokens/s`. */
const NAMES = /[\w@.~-]*\/[\w@./~-]*[\w~]|\b[\w-]+\.(?:ya?ml|json|py|sh)\b/g;

/** The first sentence, with the user's own names shortened; only a key's last part counts. */
function firstSentence(message: string): string {
  const named = message
    .replaceAll(/`[^`]*`/g, quoted => (quoted.length > SHORT.length + 2 ? `\`${SHORT}\`` : quoted))
    .replaceAll(NAMES, name => (name.length > SHORT.length ? SHORT : name))
    .replaceAll(/\b(?:[\w-]+\.)+([a-z][\w-]*_[\w-]*)\b/g, '$1');
  return named.split(/(?<=[.!?]) (?=[A-Z`{“"\d]|[a-z]+_)/)[0] ?? '';
}

const COUNTED =
  'GPU|node|file|pass(?:e)|batch(?:e)|sample|step|token|layer|cop(?:ie)|run|row|key|sequence|pair|config|process(?:e)|machine|host|worker';

/** `1 GPUs`, `each 1 passes`. */
const BAD_PLURAL = new RegExp(`(?<![\\d.,×-])\\b1 (?:${COUNTED})s\\b`);

const NO_VALUE = /\bundefined\b|\bNaN\b|\[object|\bnull (?:GPU|sample|token)/;

/** Plurals of one and values that are none; quoted text is the user's own. */
export function slipsOf(text: string): readonly string[] {
  const unquoted = text.replaceAll(/`[^`]*`/g, '``');
  return [BAD_PLURAL, NO_VALUE].flatMap(pattern => pattern.exec(unquoted)?.[0] ?? []);
}

/** Form errors of a message; empty if there are none. */
export function faultsOf(message: string): readonly string[] {
  const first = firstSentence(message);
  return [
    ...(first.length > LONGEST ? [`${first.length} characters: ${first}`] : []),
    ...slipsOf(message).map(word => `“${word}”: ${message}`),
  ];
}

/** A message starts with a verdict and one reason, and has numbers and names in their place. */
export const assertBrief = (message: string): void => assert.deepEqual(faultsOf(message), []);
