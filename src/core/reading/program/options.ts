import type { Composition, Setting } from '../../dialects/engine/compose';
import { layerOf } from '../../dialects/engine/settings';
import { rootOf } from '../../dialects/command/nodes';
import { plainName } from '../../dialects/generic/leaves';
import { words } from '../../dialects/generic/vocabulary';
import { nodeOf } from './nodes';
import type { Program } from '../../python/program';
import type { ProgramSource } from '../../python/source';

/** What a command may give a program, with its values without flags. */
export const optionsOf = (program: Program, source: ProgramSource): readonly Setting[] => {
  const written = foldersOf(source.text);
  return program
    .options()
    .filter(({ name }) => !written.has(name))
    .map(({ name, value }) => ({
      path: [name],
      keySpan: source.inFile(value.span),
      value: nodeOf(value, source),
      from: [name],
    }));
};

/** `os.makedirs(f"{args.model_path}/run")`: a program loads nothing from a folder that it makes. */
const MAKES = /\b(?:makedirs|mkdir)\([^\n]{0,40}?\bargs\.(\w{1,60})/g;

const foldersOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(MAKES)].map(([, name = '']) => name));

/**
 * A trainer that no argument tells the length of its rows: the option that is called after it, if only one is. A flag of
 * the command beats what a call of a tokenizer says, which may be about other texts.
 */
export function withLength(
  composition: Composition,
  defaults: readonly Setting[],
  flags: readonly Setting[] = [],
): Composition {
  const [layer, ...over] = composition.layers;
  const root = rootOf(layer);
  const last = lengthAmong([...defaults, ...flags]);
  const stated = root?.entries.filter(({ key }) => LENGTH.test(key)) ?? [];
  const isKnown = stated.some(({ value }) => value.kind !== 'scalar' || value.opaque === null);
  if (!root || !last || (isKnown && !flags.includes(last))) return composition;
  const { start } = root.span;
  const span = { start, end: start };
  const value = { ...last.value, span };
  const entry = { key: 'max_seq_length', keySpan: span, value, merged: true, from: last.from };
  const entries = [...root.entries.filter(one => !stated.includes(one)), entry];
  return { ...composition, layers: [layerOf(layer, { ...root, entries }, layer.mount), ...over] };
}

/** What a program states without the lengths of other texts, where a flag of the command says that of its rows. */
export function withoutOtherLengths(
  facts: readonly Setting[],
  defaults: readonly Setting[],
  flags: readonly Setting[],
): readonly Setting[] {
  const last = lengthAmong([...defaults, ...flags]);
  if (!last || !flags.includes(last)) return facts;
  return facts.filter(({ path }) => !LENGTH.test(String(path.at(-1))));
}

/**
 * Options that only label what the program loads by another one: `--model_name t5 --model_path t5-base`. `facts` are what its
 * calls say.
 */
export function labelsAmong(facts: readonly Setting[], options: readonly Setting[]): readonly string[] {
  const loaded = textOf(facts.find(({ path }) => path[0] === 'model_name_or_path'));
  if (loaded === '' || !options.some(one => textOf(one) === loaded)) return [];
  return options.flatMap(one => {
    const [name] = one.path;
    const text = textOf(one);
    const isLabel = text !== '' && text !== loaded && loaded.includes(text);
    return isLabel && words.modelName.test(plainName(String(name))) ? [String(name)] : [];
  });
}

const textOf = (setting: Setting | undefined): string =>
  setting?.value.kind === 'scalar' && setting.value.opaque === null
    ? String(setting.value.value).toLowerCase()
    : '';

function lengthAmong(options: readonly Setting[]): Setting | null {
  for (const names of [words.length, words.otherLength]) {
    const named = options.filter(
      ({ path, value }) =>
        names.test(plainName(String(path[0]))) && value.kind === 'scalar' && Number(value.value) > 0,
    );
    const last = named.at(-1);
    if (last) return named.every(({ path }) => path[0] === last.path[0]) ? last : null;
  }
  return null;
}

const LENGTH = /^(?:max_seq_length|max_length|model_max_length)$/;
