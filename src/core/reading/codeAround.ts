import type { ConfigEnvironment } from './ports';
import { OF_LIBRARY, STRANGERS } from '../dialects/generic/name';
import { leavesOf } from '../dialects/generic/leaves';
import { wholeCodeOf } from './program/imported';
import { readStarted } from './read';
import type { readConfig, Reading } from './read';
import type { Signal } from '../signal';
import type { RunSpec } from '../spec/runSpec';
import { withUncertainDefaults } from './uncertainDefaults';
import { hasKeysOfCode, isTraining, withoutUnused } from './unusedKeys';
import { isProgram } from '../text/paths';
import { parsePath } from '../yaml/path';

/*
 * The code around a config that reads it: what it may set, and which keys it uses.
 */

/** The files around a config that may start it, and what is read of them. */
export interface Around {
  readonly near: readonly string[];
  readonly programs: () => Promise<readonly string[]>;
  readonly world: ConfigEnvironment;
  readonly signal: Signal;
  readonly dependencies: string[];
}

/** Reads a file around the config; null: it is not there, or nobody wants it anymore. */
export async function readNear(
  file: string,
  read: typeof readConfig,
  { world, signal, dependencies }: Around,
): Promise<Reading | null> {
  const answer = signal.aborted ? null : await world.files.read(file);
  if (!answer || !('text' in answer)) return null;
  const found = await read(file, answer.text, world, signal);
  dependencies.push(...found.dependencies);
  return found;
}

/** Programs around a config that may open it by themselves. */
export const MOST_PROGRAMS = 3;

/** Share of a config's keys that its program mentions. A judgment: the others are for tools, such as a tracker. */
const LEAST_KNOWN = 2 / 3;

/** Returns a function that marks a run's defaults as unknown where the code that reads the config may set them. */
export async function defaultsByCode(
  own: RunSpec | undefined,
  reading: Reading,
  around: Around,
): Promise<(run: RunSpec) => RunSpec> {
  const named = await codeOf(around.near, around);
  const texts = named.length > 0 || !own ? named : await codeKnowing(own, reading, around);
  const config = await configOf(own, reading, around);
  return run => withUncertainDefaults(run, config, texts);
}

/** The text of a config, and of the files beneath it. */
async function configOf(own: RunSpec | undefined, { yaml }: Reading, around: Around): Promise<string> {
  const beneath = own?.sources.map(({ path }) => path).filter(path => !isProgram(path)) ?? [];
  return [yaml.text, ...(await textsOf([...new Set(beneath)], around))].join('\n');
}

/** Returns a function that leaves out what a run has of keys that the programs which read the config do not use. */
export async function usedByCode(
  own: RunSpec | undefined,
  reading: Reading,
  around: Around,
): Promise<(run: RunSpec) => RunSpec> {
  const near = around.near.filter(isProgram);
  if (!own || !hasKeysOfCode(own) || near.length > MOST_PROGRAMS) return run => run;
  const missing: string[] = [];
  const whole = async (path: string) => {
    const found = await wholeCodeOf(path, around.world.files);
    around.dependencies.push(...(found?.paths ?? [path]));
    if (found === null) missing.push(path);
    return found;
  };
  const trains = (one: { readonly texts: readonly string[] } | null): boolean =>
    one !== null && isTraining(one.texts);
  const named = (await Promise.all(near.map(whole))).filter(trains);
  const all = named.length > 0 ? named : await knowingMost(reading.yaml, around, whole);
  const texts = all.filter(trains).flatMap(one => one?.texts ?? []);
  if (missing.length > 0 || texts.length === 0) return run => run;
  const config = await configOf(own, reading, around);
  return run => withoutUnused(run, config, texts);
}

/** The code of the programs among some files, and of what they import. */
async function codeOf(files: readonly string[], around: Around): Promise<readonly string[]> {
  const paths = new Set<string>();
  for (const path of files.filter(isProgram).slice(0, MOST_PROGRAMS)) {
    const { dependencies = [] } = (await readNear(path, readStarted, around)) ?? {};
    for (const one of dependencies.filter(isProgram)) paths.add(one);
  }
  return textsOf([...paths], around);
}

/** The code of programs that get the config as an argument. No file names both, so their use of its keys decides. */
async function codeKnowing(
  { role, dialect }: RunSpec,
  { yaml }: Reading,
  around: Around,
): Promise<readonly string[]> {
  if (role !== 'run' || !(STRANGERS.has(dialect) || OF_LIBRARY.has(dialect))) return [];
  const all = await knowingMost(yaml, around, async path => ({ texts: await codeOf([path], around) }));
  return all.flatMap(({ texts }) => texts);
}

/** Of the programs around a config, those whose code mentions the most of its keys, and enough of them. */
export async function knowingMost<T extends { readonly texts: readonly string[] }>(
  yaml: Reading['yaml'],
  around: Around,
  read: (path: string) => Promise<T | null>,
): Promise<readonly T[]> {
  const keys = keysOf(yaml);
  const all: { readonly one: T; readonly known: number }[] = [];
  for (const path of (await around.programs()).slice(0, MOST_PROGRAMS)) {
    const one = await read(path);
    const known = keys.filter(key => one?.texts.some(text => text.includes(key)) === true).length;
    if (one && known >= keys.length * LEAST_KNOWN) all.push({ one, known });
  }
  const most = Math.max(...all.map(({ known }) => known));
  return all.filter(({ known }) => known === most).map(({ one }) => one);
}

/** The last names of a file's keys. */
export function keysOf({ documents: [document] }: Reading['yaml']): readonly string[] {
  const leaves = document?.root ? leavesOf(document.root) : [];
  return [...new Set(leaves.map(({ key }) => String(parsePath(key).at(-1))))];
}

export async function textsOf(paths: readonly string[], { world }: Around): Promise<readonly string[]> {
  const read = await Promise.all(paths.map(path => world.files.read(path)));
  return read.flatMap(one => ('text' in one ? [one.text] : []));
}
