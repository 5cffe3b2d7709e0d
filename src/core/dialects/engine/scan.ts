import { scannedKeys, WEIGHTS } from './signature';
import type { Signature } from './signature';

/**
 * What the scan needs of a signature; where a key stands, and what its value looks like, it cannot see. Paths are
 * separated by spaces, and are numbers of keys, in base 36, separated by points.
 */
type PackedSignature = readonly [
  least: number,
  strong: string,
  medium: string,
  weak: string,
  needs: string | null,
  mentions: string | null,
];

/** The signatures of all dialects as the editor loads them for every file that could be a config: each key once. */
export interface PackedSignatures {
  /** Keys, separated by spaces: none has a space in it. A path names them by their number. */
  readonly keys: string;
  readonly signatures: readonly PackedSignature[];
}

/** A signature as the scan asks it. A path is the numbers of its keys. */
export interface ScanSignature {
  readonly least: number;
  readonly mentions?: string;
  readonly strong: readonly ScanPath[];
  readonly medium: readonly ScanPath[];
  readonly weak: readonly ScanPath[];
  /** One of these has to be there at all; null: none has to. */
  readonly needs: readonly ScanPath[] | null;
}

type ScanPath = readonly number[];

/** Packs signatures, when the project is built. */
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
  const all = signatures.map(({ least, strong, medium, weak, needs, mentions }): PackedSignature => [
    least,
    ...([pack(strong), pack(medium), pack(weak)] as const),
    ...([needs ? pack(needs) : null, mentions ?? null] as const),
  ]);
  return { keys: [...numbers.keys()].join(' '), signatures: all };
}

/** What `packed` made, to be asked. */
export function unpacked([least, strong, medium, weak, needs, mentions]: PackedSignature): ScanSignature {
  const paths = (text: string): readonly ScanPath[] =>
    text === '' ? [] : text.split(' ').map(path => path.split('.').map(key => parseInt(key, 36)));
  return {
    least,
    ...(mentions === null ? {} : { mentions }),
    strong: paths(strong),
    medium: paths(medium),
    weak: paths(weak),
    needs: needs === null ? null : paths(needs),
  };
}

/** The highest score that a text can have, as `bestScore` says it of a whole signature; `seen` by number of key. */
export function bestScanScore(signature: ScanSignature, seen: readonly boolean[]): number {
  const { strong, medium, weak, needs } = signature;
  const isPossible = (path: ScanPath): boolean => path.every(key => seen[key]);
  const count = (paths: readonly ScanPath[]): number => paths.filter(isPossible).length;
  if (needs?.some(isPossible) === false) return -1;
  return WEIGHTS.strong * count(strong) + WEIGHTS.medium * count(medium) + WEIGHTS.weak * count(weak);
}
