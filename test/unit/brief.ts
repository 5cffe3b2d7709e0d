import assert from 'node:assert/strict';

/** A verdict and one reason are read at a glance: so many characters at most, then what to do. */
const LONGEST = 90;

/** What stands for a path, a model or a value of the user's own, which may be any length. */
const SHORT = 'short-name';

/** Paths, models of the Hub and file names; not a unit such as `tokens/s`. */
const NAMES = /[\w@.~-]*\/[\w@./~-]*[\w~]|\b[\w-]+\.(?:ya?ml|json|py|sh)\b/g;

/** The first sentence, with short names of the user's own; a key counts by its last part. */
export function firstSentence(message: string): string {
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

/** Plurals of one and values that are none; what is quoted is the user's own. */
export function slipsOf(text: string): readonly string[] {
  const unquoted = text.replaceAll(/`[^`]*`/g, '``');
  return [BAD_PLURAL, NO_VALUE].flatMap(pattern => pattern.exec(unquoted)?.[0] ?? []);
}

/** What is wrong with the form of a message; empty where nothing is. */
export function faultsOf(message: string): readonly string[] {
  const first = firstSentence(message);
  return [
    ...(first.length > LONGEST ? [`${first.length} characters: ${first}`] : []),
    ...slipsOf(message).map(word => `“${word}”: ${message}`),
  ];
}

/** A message begins with a verdict and one reason, and has numbers and names in their place. */
export const assertBrief = (message: string): void => assert.deepEqual(faultsOf(message), []);
