import { scannedKeys, WEIGHTS } from './signature';
import type { DialectCall } from './calls';
import type { Signature } from './signature';

/**
 * The parts of a signature that the scan needs; it cannot see positions or values. Paths are separated by spaces
 * and consist of key numbers in base 36, separated by points.
 */
type PackedSignature = readonly [
  least: number,
  strong: string,
  medium: string,
  weak: string,
  /** True: the same as `strong`. */
  needs?: string | true | null,
  mentions?: string,
];

/** The signatures of all dialects as the editor loads them for every possible config; each key is stored once. */
export interface PackedSignatures {
  /** Keys, separated by spaces (no key contains one). Paths refer to keys by number. */
  readonly keys: string;
  readonly signatures: readonly PackedSignature[];
}

/** The calls that are runs: the names of functions, and of modules that have them, separated by spaces. */
export interface ScannedCalls {
  readonly calls: string;
}

/** A signature for the scan. A path is a list of key numbers. */
export interface ScanSignature {
  readonly least: number;
  readonly mentions?: string;
  readonly strong: readonly ScanPath[];
  readonly medium: readonly ScanPath[];
  readonly weak: readonly ScanPath[];
  /** At least one of these must be present; null: no condition. */
  readonly needs: readonly ScanPath[] | null;
}

type ScanPath = readonly number[];

/** Packs signatures at build time. */
export function packed(signatures: readonly Signature[]): PackedSignatures {
  const numbers = new Map<string, number>();
  const numberOf = (key: string): number => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const pack = (paths: readonly string[]): string =>
    paths
      .map(path =>
        scannedKeys(path)
          .map(key => numberOf(key).toString(36))
          .join('.'),
      )
      .join(' ');
  const all = signatures.map(({ least, strong, medium, weak, needs, mentions }): PackedSignature => {
    const own = [least, pack(strong), pack(medium), pack(weak)] as const;
    const needed = needs && pack(needs);
    const condition = needed === own[1] ? true : (needed ?? null);
    if (mentions !== undefined) return [...own, condition, mentions];
    return condition === null ? own : [...own, condition];
  });
  return { keys: [...numbers.keys()].join(' '), signatures: all };
}

/** The inverse of `packed`. */
export function unpacked([
  least,
  strong,
  medium,
  weak,
  needs = null,
  mentions,
]: PackedSignature): ScanSignature {
  const paths = (text: string): readonly ScanPath[] =>
    text === '' ? [] : text.split(' ').map(path => path.split('.').map(key => parseInt(key, 36)));
  return {
    least,
    ...(mentions === undefined ? {} : { mentions }),
    strong: paths(strong),
    medium: paths(medium),
    weak: paths(weak),
    needs: needs === null ? null : paths(needs === true ? strong : needs),
  };
}

/** The highest possible score of a text, like `bestScore` for a whole signature; `seen` is by key number. */
export function bestScanScore(signature: ScanSignature, seen: readonly boolean[]): number {
  const { strong, medium, weak, needs } = signature;
  const isPossible = (path: ScanPath): boolean => path.every(key => seen[key]);
  // Without a list of its own: a scan counts a thousand paths.
  const count = (paths: readonly ScanPath[]): number =>
    paths.reduce((sum, path) => (isPossible(path) ? sum + 1 : sum), 0);
  if (needs?.some(isPossible) === false) return -1;
  return WEIGHTS.strong * count(strong) + WEIGHTS.medium * count(medium) + WEIGHTS.weak * count(weak);
}

/** What the scan of a program looks for, as `module:call`: without one of these calls it has no run. */
export function scannedCalls(calls: readonly DialectCall[]): ScannedCalls {
  const names = calls.filter(({ role }) => role === 'run').flatMap(({ of }) => of);
  const words = names.map(
    name => `${name.slice(0, name.indexOf('.'))}:${name.slice(name.lastIndexOf('.') + 1)}`,
  );
  return { calls: [...new Set(words)].sort().join(' ') };
}
