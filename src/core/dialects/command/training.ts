import type {
  Composition,
  DialectProgram,
  Layer,
  NearbyFiles,
  OwnProgram,
  Setting,
  Subcommand,
} from '../engine/compose';
import { argumentsOf, asSetting, launcherConfig, launcherFlags, nameOf, takesItsOwn } from './arguments';
import { compositionOf, dialectOfConfigs, overDefaults, readConfigs } from './configList';
import type { Argument } from './configList';
import { rootOf } from './nodes';
import { ofOwnConfig } from './ownConfig';
import { canBeOf, importedBy, importsOne, isImported } from './imported';
import { sharedBy } from './launcherFile';
import { TRAINS } from './programs';
import { withDivided } from './divided';
import { doesOtherWork, hasOpenFlags, programIn, programOf } from './startedProgram';
import type { Command } from './word';
import type { YamlDocument } from '../../yaml/node';
import { argvLayer } from './tree';
import { shippedLayer } from '../engine/settings';

/** Programs that only prepare data, or use what was trained, whatever config they take: they don't start its run. */
const ALSO_TAKES =
  /(?:^|[/_])preprocess(?:_\w+)?(?:\.py)?$|(?:^|\/)axolotl\/(?:cli\/)?(?:inference|merge[-_]\w+|delinearize[-_]\w+)$/;

/** Commands that only handle files, a script among them: `cp train.py run/`. */
const HANDLES_FILES =
  /^(?:cp|mv|rm|ln|ls|cat|sed|grep|diff|head|tail|touch|chmod|chown|scp|rsync|tar|zip|find|wget|curl|git|vim?|nano)$/;

/** True if a command starts the run of its config. */
export const startsRun = (command: Command): boolean =>
  !HANDLES_FILES.test(command[0]?.text ?? '') &&
  TRAINS.test(command.map(({ text }) => text).join(' ')) &&
  !ALSO_TAKES.test(programOf(command));

/** A program with config files, and flags that override them; or with flags alone. Later arguments win. */
export async function trainingRun(
  command: Command,
  opened: Layer,
  files: NearbyFiles,
): Promise<Composition | null> {
  const line = command.map(({ text }) => text).join(' ');
  const programs = files.programs ?? [];
  const recognized = await programStarted(command, line, opened, files);
  if (recognized === null && (await doesOtherWork({ command, opened, files }))) return null;
  const sub = recognized?.program.commands?.find(({ words }) => words.test(line));
  const args = [
    ...launcherFlags(command).map(asSetting),
    ...argumentsOf(command, recognized, programs, sub),
    ...launcherConfig(command).map(asSetting),
  ];
  const configs = await readConfigs(args, opened, files, recognized);
  const defaults = shippedBy(recognized, sub);
  const dialect = dialectOfCommand(recognized, configs, files);
  // What a known program would read from a missing file is unknown.
  const isMissing = recognized?.program.configs !== undefined && configs.length > 0;
  if (!isMissing && !configs.some(({ layer }) => layer)) {
    return alone({ args, opened, files, recognized, command, defaults });
  }
  // What a program makes of its config says more than how the keys are called.
  if (recognized === null || dialect === null) {
    const own = await ofStranger({ command, configs, args, opened, files }, dialect);
    if (own || dialect === null) return own;
  }
  return compositionOf({
    configs,
    args,
    opened,
    dialect,
    program: programFor(dialect, files),
    files,
    defaults,
  });
}

const programFor = (dialect: string, { programs = [] }: NearbyFiles): DialectProgram['program'] | null =>
  programs.find(one => one.dialect === dialect)?.program ?? null;

/** What a subcommand has by itself. */
const shippedBy = (program: DialectProgram | null, sub: Subcommand | undefined): Layer | null =>
  program && sub?.keys ? shippedLayer(sub.source, sub.keys, program.framework) : null;

/** The known program that a command starts. */
async function programStarted(
  command: Command,
  line: string,
  opened: Layer,
  files: NearbyFiles,
): Promise<DialectProgram | null> {
  const called = files.programs?.find(
    one => one.program.words?.test(line) === true && takesItsOwn(command, one),
  );
  return called && (await isItsScript(called, command, opened, files)) ? called : null;
}

/** A script of a common name is a program's, unless it is there and imports nothing of it. */
async function isItsScript(
  { family, program: { module } }: DialectProgram,
  command: Command,
  opened: Layer,
  files: NearbyFiles,
): Promise<boolean> {
  if (family !== undefined || module === undefined) return true;
  const found = await importedBy(command, opened, files);
  return found === null || isImported(module, found);
}

/** The dialect of a command: that of its program, unless others share its words and the config tells. */
function dialectOfCommand(
  recognized: DialectProgram | null,
  configs: Parameters<typeof dialectOfConfigs>[0],
  files: NearbyFiles,
): string | null {
  const isOpen = recognized?.program.isShared === true && configs.some(({ layer }) => layer);
  return recognized && !isOpen ? recognized.dialect : dialectOfConfigs(configs, files);
}

/** A command with config files of a program of one's own. */
interface OfStranger extends Pick<Alone, 'args' | 'opened' | 'files' | 'command'> {
  readonly configs: Parameters<typeof dialectOfConfigs>[0];
}

/**
 * The trainer that a program of one's own makes of what it loads, if all of it is known; its config, over what its own loop
 * says, or where its words say that it trains. Null: its keys alone tell.
 */
async function ofStranger(
  { command, configs, args, opened, files }: OfStranger,
  byKeys: string | null,
): Promise<Composition | null> {
  const own = await programOfConfig(command, args, opened, files);
  const run = own && onlyRun(own, opened, command);
  if (run && isWhole(run)) return run;
  const loop = own?.isOwnLoop === true ? own : null;
  if (byKeys !== null && !loop) return null;
  const script = programOf(command);
  const found = dialectOfKeys(configs, script, loop, files);
  if (found === null) return null;
  const { dialect, hasLoop } = found;
  // `isShared`: accelerate has a file, too.
  return {
    ...compositionOf({ configs, args, opened, dialect, program: null, files, defaults: null }),
    script,
    ...(loop && { silent: loop.silent, hasLoop, ...beneathOf(loop.options) }),
    ...(await sharedBy(command, opened, files)),
  };
}

/** What the keys of a config are; `hasLoop`: only the loop of its program tells that they are of training. */
function dialectOfKeys(
  configs: OfStranger['configs'],
  script: string,
  loop: OwnProgram | null,
  files: NearbyFiles,
): { readonly dialect: string; readonly hasLoop: boolean } | null {
  const layer = configs.find(({ layer: one, named }) => one && named.mount === '')?.layer;
  const document = layer?.yaml.documents[layer.document];
  if (!document) return null;
  const told = files.dialectOf?.(document, script, loop !== null) ?? null;
  const dialect = told ?? loop?.ofLoop ?? null;
  return dialect === null ? null : { dialect, hasLoop: told === null };
}

/** The program that a command with a config starts, read with its flags. */
async function programOfConfig(
  command: Command,
  args: readonly Argument[],
  opened: Layer,
  files: NearbyFiles,
): Promise<OwnProgram | null> {
  if (hasOpenFlags(command)) return null;
  const settings = args.flatMap(({ config, setting }) => setting ?? config.setting);
  return programIn({ command, files, opened }, settings);
}

/** A command without a config file. */
interface Alone {
  readonly args: readonly Argument[];
  readonly opened: Layer;
  readonly files: NearbyFiles;
  readonly recognized: DialectProgram | null;
  readonly command: Command;
  readonly defaults: Layer | null;
}

/** Flags without a config file; keys of a missing file are unknown. */
async function alone(all: Alone): Promise<Composition | null> {
  const { args, opened, files, recognized, command, defaults } = all;
  // `--data a.yaml` is the file of a section only in programs that have such sections.
  if (args.some(({ config }) => config !== null && config.mount === '') && recognized === null) return null;
  const settings = args.flatMap(({ setting }) => setting ?? []);
  const layer = argvLayer(opened, settings, null);
  const document = layer.yaml.documents[layer.document];
  const isOpen = hasOpenFlags(command);
  const script = isOpen ? '' : programOf(command);
  const own = recognized === null && !isOpen ? await programIn(all, settings) : null;
  const hints = { command, flags: new Set(settings.map(nameOf)), opened, files };
  const dialect = recognized?.dialect ?? (await dialectByFlags(document, script, hints, own ?? isOpen));
  const run = own && ofOwnProgram(own, dialect, all, settings);
  const beneath = beneathOf(defaults ?? exampleDefaults(dialect, script, files));
  return withSharing(
    run ?? (dialect === null ? null : { name: '', dialect, layers: [layer], script, ...beneath }),
    all,
  );
}

/**
 * What flags are: a framework's that the program imports; of a program that is not there, a framework's if enough of
 * them are.
 */
async function dialectByFlags(
  document: YamlDocument | undefined,
  script: string,
  hints: Hints,
  own: OwnProgram | boolean,
): Promise<string | null> {
  const byKeys = (document && hints.files.dialectOf?.(document, script)) ?? null;
  const of = hints.files.programs?.find(one => one.dialect === byKeys);
  const byNames = (): string | null => dialectByNames(document, script, hints.files);
  if (typeof own === 'object' && !canBeOf(own, of)) return (own.hasTrainer ? of?.family : null) ?? byNames();
  return own !== false || isToldBy(byKeys, hints) ? inFamily(byKeys, hints) : byNames();
}

/** What flags are by their names alone. */
const dialectByNames = (
  document: YamlDocument | null | undefined,
  script: string,
  files: NearbyFiles,
): string | null => (document && files.dialectOf?.(document, script, true)) ?? null;

/** The dialects of frameworks read their launcher's file themselves. */
async function withSharing(
  made: Composition | null,
  { command, opened, files }: Alone,
): Promise<Composition | null> {
  const isFrameworks = files.programs?.some(one => one.dialect === made?.dialect);
  return made && !isFrameworks ? { ...made, ...(await sharedBy(command, opened, files)) } : made;
}

/** A program that is not there has a framework's defaults if its name and its flags are enough like that framework's. */
function isToldBy(byKeys: string | null, { command, flags, files }: Hints): boolean {
  const { programs = [] } = files;
  const line = command.map(({ text }) => text).join(' ');
  const family = programs.find(one => one.dialect === byKeys)?.family ?? byKeys;
  const members = programs.filter(one => one.dialect === family || one.dialect === byKeys);
  const own = members.flatMap(({ program }) => [...(program.own ?? []), ...(program.flags ?? [])]);
  const isGiven = (entry: string): boolean => entry.split(' ').every(flag => flags.has(flag));
  const isNamed = members.some(({ program }) => program.hints?.test(line) === true);
  return (
    members.every(({ program }) => program.own === undefined) ||
    members.some(({ program }) => program.scripts?.test(line) === true) ||
    own.filter(isGiven).length + Number(isNamed) >= LEAST_OWN
  );
}

const LEAST_OWN = 2;

const beneathOf = (layer: Layer | null): Pick<Composition, 'beneath'> =>
  layer === null ? {} : { beneath: [layer] };

/** What an example script of a dialect's project has by itself, by the script's name. */
function exampleDefaults(dialect: string | null, script: string, files: NearbyFiles): Layer | null {
  const example = files.programs?.find(
    one => one.dialect === dialect && one.program.scripts?.test(script) === true,
  );
  const sub = example?.program.commands?.find(({ words }) => words.test(script));
  return shippedBy(example ?? null, sub);
}

/**
 * The config that the program opens; the one trainer that it makes, if all of it is known; else its flags over its own
 * defaults.
 */
function ofOwnProgram(
  own: OwnProgram,
  byFlags: string | null,
  all: Alone,
  settings: readonly Setting[],
): Composition | null {
  const byConfig = ofOwnConfig(own, programOf(all.command), all);
  if (byConfig) return byConfig;
  const { opened, files, command } = all;
  const start = command[0]?.span.start ?? 0;
  const run = onlyRun(own, opened, command);
  if (run && (byFlags === null || isWhole(run) || !settings.some(namesModel))) return run;
  if (own.options === null) return null;
  const layer = argvLayer(
    opened,
    settings.filter(one => !own.labels.includes(nameOf(one))).map(one => withDivided(one, own.divided)),
    null,
    start,
  );
  const script = programOf(command);
  // What a program has by default tells no framework.
  const byNames = dialectByNames(overDefaults(layer, own.options), script, files);
  const told = toldBy(own, byFlags, byNames);
  const dialect = told ?? own.ofLoop;
  if (dialect === null) return null;
  // A copy of an example is for what the example is for.
  const { beneath = [] } = beneathOf(exampleDefaults(dialect, script, files));
  return {
    name: '',
    dialect,
    layers: [layer],
    script,
    beneath: [...beneath, own.options],
    silent: own.silent,
    hasLoop: told === null,
  };
}

const toldBy = ({ hasLoop }: OwnProgram, byFlags: string | null, byNames: string | null): string | null =>
  (hasLoop ? byNames : null) ?? byFlags ?? byNames;

/** The one trainer that a program makes, as its launcher starts it. */
function onlyRun({ runs }: OwnProgram, opened: Layer, command: Command): Composition | null {
  const [run, ...others] = runs;
  if (!run || others.length > 0) return null;
  const started = [...launcherFlags(command), ...launcherConfig(command)];
  const place = argvLayer(opened, started, '', command[0]?.span.start ?? 0);
  return { ...run, name: '', layers: [...run.layers, place] };
}

/** A trainer whose model and arguments the program tells. */
const isWhole = ({ layers: [layer], gaps = [] }: Composition): boolean =>
  gaps.length === 0 &&
  (rootOf(layer)?.entries ?? []).some(
    ({ key, value }) => MODEL.test(key) && value.kind === 'scalar' && value.opaque === null,
  );

/** True for a flag that names the model: a helper of the program may load it, and its trainer then does not name it. */
const namesModel = ({ path, value }: Setting): boolean =>
  MODEL.test(String(path[0])) && value.kind === 'scalar' && value.opaque === null;

const MODEL = /^(?:model|(?:pretrained_)?model_name(?:_or_path)?)$/;

/** What tells the members of a family apart that share most of their flags. */
interface Hints {
  readonly command: Command;
  readonly flags: ReadonlySet<string>;
  readonly opened: Layer;
  readonly files: NearbyFiles;
}

/** Flags that a family shares are of its general dialect, unless something is one member's own. */
async function inFamily(byKeys: string | null, hints: Hints): Promise<string | null> {
  const line = hints.command.map(({ text }) => text).join(' ');
  for (const { dialect, family, program } of hints.files.programs ?? []) {
    if (family === undefined || program.flags === undefined) continue;
    if (byKeys !== dialect && byKeys !== family) continue;
    const isOwn =
      program.flags.some(entry => entry.split(' ').every(flag => hints.flags.has(flag))) ||
      program.hints?.test(line) === true;
    if (isOwn ? byKeys === dialect : await importsOne(program.module, hints)) return dialect;
    return family;
  }
  return byKeys;
}
