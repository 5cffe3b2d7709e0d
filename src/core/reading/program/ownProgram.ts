import type { ConfigFiles } from '../../dialects/engine/configFiles';
import type { Composition, Layer, OwnProgram, Setting, Starting } from '../../dialects/engine/compose';
import { layerOf, mapOf } from '../../dialects/engine/settings';
import { configAt, tailsNear } from '../../dialects/command/configList';
import { withDivided } from '../../dialects/command/divided';
import { importsIn } from '../../dialects/command/imported';
import { rootOf } from '../../dialects/command/nodes';
import { composedConfig } from '../../dialects/engine/hydra/composed';
import { plainName } from '../../dialects/generic/leaves';
import { GENERIC } from '../../dialects/generic/name';
import { words } from '../../dialects/generic/vocabulary';
import { hasOwnLoop, hasTrainer } from './ownLoop';
import { scalarNode } from './nodes';
import { dividedIn, factsOf, silenceOf } from './facts';
import { deviceOfLoop } from './ownDevice';
import { labelsAmong, optionsOf, withLength, withoutOtherLengths } from './options';
import { pythonProject } from './project';
import { trainsAnywhere } from './runs';
import type { CommandLine } from '../../python/given';
import { readProgram } from '../../python/program';
import type { Program } from '../../python/program';
import { programOf } from '../../python/source';
import type { YamlNode } from '../../yaml/node';
import type { Value } from '../../python/value';
import { dirname, foldersAbove, isAbsolute, join } from '../../text/paths';

/** Options of its own. */
const OPTIONS = /\.add_argument\(|\bDEFINE_\w{1,20}\(|@(?:\w{1,30}\.)?option\(|@hydra[._]main\(/;

/** Folders above a script in which the program that it starts may lie. */
const MOST_FOLDERS = 8;

/**
 * The program that a command starts, read with the flags of the command: its runs, and its options with their
 * defaults. Null if it is not there.
 */
export async function ownProgramOf(
  script: string,
  near: string,
  settings: readonly Setting[],
  started: Starting | undefined,
  files: ConfigFiles,
): Promise<OwnProgram | null> {
  const found = await textOf(script.endsWith('.py') ? script : `${script}.py`, near, files);
  const source = found && programOf(found.path, found.text);
  if (!found || !source) return null;
  const flags: CommandLine['flags'] = new Map(
    settings.map(({ path, value }) => [path.join('.').replaceAll('-', '_'), value]),
  );
  const commandLine = { flags, ...started };
  const processes = started?.processes;
  const { runs, project } = await pythonProject(found.path, found.text, files, commandLine);
  const program = readProgram(source.text, project);
  const opened: Layer = {
    path: found.path,
    yaml: { text: found.text, documents: [], problems: [] },
    document: 0,
    mount: null,
  };
  const defaults = optionsOf(program, source);
  const start = { start: 0, end: 0 };
  const texts = [source.text, ...project.programs()];
  const divided = dividedIn(texts, processes !== undefined && processes !== 1);
  const facts = withoutOtherLengths(factsOf(program, source, project.programs()), defaults, settings);
  const given = settings.map(one => ({
    ...one,
    path: one.path.map(part => String(part).replaceAll('-', '_')),
  }));
  const labels = labelsAmong(facts, [...defaults, ...given]);
  const isOwnLoop = hasOwnLoop(texts);
  const trains = runs.length > 0 || trainsAnywhere(program);
  const isLabel = ({ path }: Setting): boolean => labels.includes(String(path[0]));
  const device = isOwnLoop ? deviceOfLoop(source.text, project, start) : [];
  const told = [...facts, ...defaults.filter(one => !isLabel(one)), ...device].map(one =>
    withDivided(one, divided),
  );
  return {
    labels,
    silent: silenceOf(texts, told),
    divided,
    hasLoop: OPTIONS.test(source.text) && !hasTrainer([source.text]),
    isOwnLoop,
    ofLoop: isOwnLoop && trains ? GENERIC : null,
    trains,
    hasTrainer: hasTrainer(texts),
    imports: texts.flatMap(importsIn),
    options: told.length > 0 ? layerOf(opened, mapOf(told, start, null), '') : null,
    runs: runs.map(({ composition }) =>
      withLength(withModel(composition, [...defaults, ...settings]), defaults, settings),
    ),
    config: await configOf(program, found.path, { flags, near, files }),
  };
}

/** Options that name a config. */
const CONFIG = /^(?:\w{1,30}_)?(?:config|cfg|conf|yaml)(?:_(?:file|path|yaml))?$/;

/** The config of a program that Hydra starts, or the default of the option that names one. */
async function configOf(
  program: Program,
  path: string,
  { flags, near, files }: { flags: CommandLine['flags']; near: string; files: ConfigFiles },
): Promise<OwnProgram['config']> {
  const hydra = program.hydraConfig();
  const byDefault = program.options().find(({ name, value }) => CONFIG.test(name) && isConfig(value));
  const named = byDefault?.value.kind === 'scalar' ? String(byDefault.value.value) : null;
  const layer =
    hydra !== null
      ? await layerAt(join(dirname(path), hydra), files)
      : named === null || flags.has(byDefault?.name ?? '')
        ? null
        : ((await configAt(named, path, files)) ?? (await configAt(named, near, files)));
  if (!layer) return null;
  const found = await composedConfig(layer.path, hydra === null ? new Map() : flags, files);
  if (!found) return null;
  const { root, layers, gaps, chosen } = found;
  return {
    layer,
    layers,
    gaps,
    chosen,
    document: { index: 0, root, span: root.span, sharedAnchors: new Set() },
  };
}

const isConfig = (value: Value): boolean =>
  value.kind === 'scalar' && /\.(?:ya?ml|json|toml)$/.test(String(value.value));

async function layerAt(path: string, files: ConfigFiles): Promise<Layer | null> {
  const yaml = await files.read(path);
  return yaml?.documents[0]?.root ? { path, yaml, document: 0, mount: null } : null;
}

/**
 * A trainer whose model a function makes has that of the option that names it, if only one does.
 */
function withModel(composition: Composition, options: readonly Setting[]): Composition {
  const [layer, ...over] = composition.layers;
  const root = rootOf(layer);
  const stated = root?.entries.find(({ key }) => key === MODEL_KEY);
  const isKnown = root?.entries.some(({ key, value }) => LOADED.test(key) && isText(value)) === true;
  const named = options.filter(isModelName);
  const last = named.at(-1);
  if (isKnown || !root || !last || named.some(({ path }) => path[0] !== last.path[0])) return composition;
  const { start } = root.span;
  const span = { start, end: start };
  const value: YamlNode = { ...last.value, span };
  const entry = { key: MODEL_KEY, keySpan: span, value, merged: true, from: last.from };
  // The function may add adapters, and quantize the model.
  const unknown = UNKNOWN_KEYS.filter(key => !root.entries.some(one => one.key === key)).map(key => ({
    ...{ key, keySpan: span, merged: true, from: last.from },
    value: { ...scalarNode(null, '', span), opaque: 'interpolation' } as const,
  }));
  const entries = [...root.entries.filter(one => one !== stated), entry, ...unknown];
  return { ...composition, layers: [layerOf(layer, { ...root, entries }, layer.mount), ...over] };
}

const isText = (value: YamlNode): boolean =>
  value.kind === 'scalar' && value.opaque === null && typeof value.value === 'string';

/** The model of a trainer, as libraries call it. */
const LOADED = /^model(?:_name(?:_or_path)?)?$/;

const isModelName = ({ path, value }: Setting): boolean => {
  const name = plainName(String(path[0]));
  return isText(value) && (name === 'model' || name === 'base_model' || words.modelName.test(name));
};

const UNKNOWN_KEYS = ['use_peft', 'load_in_4bit', 'load_in_8bit'];
const MODEL_KEY = 'model_name_or_path';

async function textOf(
  name: string,
  near: string,
  files: ConfigFiles,
): Promise<{ path: string; text: string } | null> {
  const paths = isAbsolute(name)
    ? [name, ...tailsNear(name, near)]
    : [
        // A package may lie below `src`, which its installation puts on Python's path (packaging.python.org).
        ...foldersAbove(near, MOST_FOLDERS).flatMap(folder => [
          join(folder, name),
          join(folder, `src/${name}`),
        ]),
        ...tailsNear(name, near),
      ];
  for (const path of paths) {
    const text = await files.text(path);
    if (text !== null) return { path, text };
  }
  return null;
}
