/** Releases of packages by their normalized names: `{ vllm: '0.8.5' }`. */
export type Pins = ReadonlyMap<string, string>;

/** A name as package indexes compare it (PEP 503). */
export const packageName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/**
 * A requirement with exactly one release (`==`), or of one minor release (`~=`, `^`, both bounds): the lowest that
 * satisfies it. Extras and markers do not matter. Conda writes one `=`.
 */
const REQUIREMENT =
  /^([A-Za-z0-9][\w.-]{0,80})(?:\[[^\]]{0,200}\])?\s{0,20}(?:\(\s{0,20})?((?:[=~^<>!]=?=?)[^;#)]{0,200})/;

const CLAUSE = /^\s*(===?|=|~=|\^|>=|<=?|!=|>)\s*v?(\d[\w.]{0,40})/;

/** One requirement as pip, uv and conda write it: `vllm[audio]==0.8.5 ; python_version > "3.9"`. */
export function pinOf(requirement: string): readonly [name: string, release: string] | null {
  const match = REQUIREMENT.exec(requirement.trim());
  const [, name = '', clauses = ''] = match ?? [];
  const release = match ? releaseIn(clauses) : null;
  return release === null ? null : [packageName(name), release];
}

/** The release that clauses leave: `==0.8.5`, `>=0.8.2,<0.9`, `^0.8.2`; null: more than one minor release. */
export function releaseIn(clauses: string): string | null {
  const parts = clauses.split(',').flatMap(part => {
    const found = CLAUSE.exec(part);
    return found ? [{ sign: found[1] ?? '', release: found[2] ?? '' }] : [];
  });
  const exact = parts.find(({ sign }) => sign.startsWith('=') || sign === '~=' || sign === '^');
  if (exact) return cleaned(exact.release);
  const least = parts.find(({ sign }) => sign === '>=');
  const most = parts.find(({ sign }) => sign === '<');
  return least && most && isNextMinor(least.release, most.release) ? cleaned(least.release) : null;
}

/** Local versions (`+cu121`) and wildcards say nothing more. */
const cleaned = (release: string): string => release.replace(/(?:\.\*|\.)$/, '');

function isNextMinor(least: string, most: string): boolean {
  const [major = 0, minor = 0] = least.split('.').map(Number);
  const [nextMajor = 0, nextMinor = 0, patch = 0] = most.split('.').map(Number);
  return major === nextMajor && (nextMinor === minor + 1 ? patch === 0 : nextMinor === minor);
}

/** Adds requirements; the first that names a package wins. */
export function addPins(into: Map<string, string>, requirements: Iterable<string>): void {
  for (const requirement of requirements) {
    const pin = pinOf(requirement);
    if (pin && !into.has(pin[0])) into.set(pin[0], pin[1]);
  }
}
