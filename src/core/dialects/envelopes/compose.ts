import type { Quantity } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import type { MapNode, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import type { Located } from '../../text/located';
import { runsOfJob, variablesOf } from '../command/jobs';
import type { Job } from '../command/job';
import { joined, located, slice } from '../command/located';
import {
  CUDA,
  nodeAt,
  derivedFrom,
  entriesOf,
  itemsOf,
  rootOf,
  statedAt,
  textAt,
  unknown,
} from '../command/nodes';
import { releaseOfImage } from '../command/pins';
import { commands } from '../command/shell';
import { argument } from '../command/word';
import type { Command, Word } from '../command/word';
import type { Variables } from '../command/shellValues';
import { seenFrom } from '../command/tree';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import type { Note } from '../engine/note';
import { composeFiles, envFileVariables } from './composeFiles';
import { partWith, servicesOf, valueOf } from './composeService';
import type { Service, ServicePart } from './composeService';
import { argumentsIn, environmentList, environmentMap, withVisible } from './environment';
import { runsOfScript, startedIn } from './script';
import { builtImage } from './units';
import type { BuiltImage } from './units';
import { dirname, join } from '../../text/paths';

const RESERVED: YamlPath = ['deploy', 'resources', 'reservations', 'devices'];

/** True if a service requests NVIDIA GPUs; estimates are for CUDA. */
export const reservesGpu = (root: MapNode): boolean =>
  entriesOf(nodeAt(root, 'services')).some(({ value }) => asksForGpu(value));

function asksForGpu(service: YamlNode): boolean {
  if (nodeAt(service, 'gpus') || textAt(service, 'runtime') === 'nvidia') return true;
  if (gpuDevice(service) >= 0) return true;
  return itemsOf(nodeAt(service, 'devices')).some(item =>
    /^nvidia\.com\/gpu|^\/dev\/nvidia/.test(textAt(item) ?? ''),
  );
}

/** The index of the GPU reservation. */
function gpuDevice(service: YamlNode): number {
  return itemsOf(nodeAt(service, ...RESERVED)).findIndex(
    device =>
      textAt(device, 'driver') === 'nvidia' ||
      itemsOf(nodeAt(device, 'capabilities')).some(item => textAt(item) === 'gpu'),
  );
}

/** One run for each program that a service with GPUs starts, merged with other Compose files. */
export async function composeRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const variables = await envFileVariables(opened, files);
  const notes: Note[] = [];
  const layers = await composeFiles(opened, variables, files);
  const services = await servicesOf(layers, files, notes);
  const all: Composition[] = [];
  for (const service of services.filter(({ parts }) => parts.some(({ node }) => asksForGpu(node)))) {
    const owner = (partWith(service, 'command') ?? partWith(service, 'image'))?.layer ?? opened;
    const built = await builtBy(service, files);
    const job = jobOf(service, owner, variables, built);
    const own = await runsOfJob(job, owner, files);
    const isKnown = own.some(({ dialect }) => dialect !== undefined);
    const started = isKnown ? [] : await mountedScript(service, job, { owner, built }, files);
    const here = service.parts.find(({ layer }) => layer.path === opened.path)?.node.span.start;
    const runs = started.length > 0 ? started : own;
    all.push(...(here === undefined ? runs : runs.map(run => seenFrom(opened, run, here))));
  }
  return all.map((run, i) => (i === 0 ? { ...run, notes: [...(run.notes ?? []), ...notes] } : run));
}

/** The files and folders beside the file that a service sees, by their paths in the container. */
const mountsOf = (service: Service): readonly (readonly [source: string, target: string])[] =>
  itemsOf(valueOf(service, 'volumes')).flatMap(item => {
    const [source = '', target = ''] = (textAt(item) ?? '').split(':');
    return source.startsWith('.') && target.startsWith('/')
      ? [[source, target.replace(/\/$/, '')] as const]
      : [];
  });

/** The image that a service builds from a Dockerfile, with the files beside it by their paths from the Compose file. */
async function builtBy(service: Service, files: NearbyFiles): Promise<BuiltImage | null> {
  const part = partWith(service, 'build');
  const build = part && nodeAt(part.node, 'build');
  if (!part || !build) return null;
  const context = textAt(build) ?? textAt(build, 'context') ?? '.';
  const folder = join(dirname(part.layer.path), context);
  const yaml = await files.read(join(folder, textAt(build, 'dockerfile') ?? 'Dockerfile'));
  const built = yaml && builtImage(yaml.text);
  return built && { ...built, copied: built.copied.map(([from, to]) => [join(context, from), to] as const) };
}

/** `/app/train.py` of a container is the program that was mounted there. */
function mounted(word: Word, mounts: ReturnType<typeof mountsOf>): Word {
  const { text } = word;
  if (!/^\/.*\.py$/.test(text)) return word;
  const [source, target] = mounts.find(([, path]) => text === path || text.startsWith(`${path}/`)) ?? [];
  return source === undefined || target === undefined
    ? word
    : { ...word, text: join('.', `${source}${text.slice(target.length)}`) };
}

/** The runs of a script beside the file that the service mounts and starts: `./serve.sh:/serve.sh`. */
async function mountedScript(
  service: Service,
  { name, image, launched, commands: started, environment }: Job,
  { owner, built }: { readonly owner: Layer; readonly built: BuiltImage | null },
  files: NearbyFiles,
): Promise<readonly Composition[]> {
  const inner = started.map(startedIn).find(one => one !== null);
  const release = releaseOfImage(image);
  for (const [source, target] of [...mountsOf(service), ...(built?.copied ?? [])]) {
    const isIn = inner?.name === target || inner?.name.startsWith(`${target}/`) === true;
    if (!inner || !isIn) continue;
    const path = join(dirname(owner.path), `${source}${inner.name.slice(target.length)}`);
    const yaml = await files.read(path);
    if (!yaml) continue;
    const layer = { path, yaml, document: 0, mount: null };
    return runsOfScript(layer, files, {
      name,
      launched: { ...launched, ...(release && { releases: [release] }) },
      known: new Map([...(built?.variables ?? []), ...variablesOf(environment)]),
      given: inner.given,
    });
  }
  return [];
}

function jobOf(service: Service, owner: Layer, known: Variables, built: BuiltImage | null): Job {
  const stated = service.parts.flatMap(({ layer, path, node }) => {
    const listed = nodeAt(node, 'environment');
    const read = listed?.kind === 'sequence' ? environmentList : environmentMap;
    const entries = read(listed, [...path, 'environment'], layer.yaml.text, known);
    return layer.path === owner.path ? entries : entries.map(entry => ({ ...entry, owner: layer }));
  });
  const environment = [...new Map(stated.map(entry => [entry.name, entry])).values()];
  const own = commandsOf(service, owner, new Map([...variablesOf(environment), ...known]));
  const inside = new Map([...(built?.variables ?? []), ...variablesOf(environment)]);
  const started = built ? inImage(service, built, own, inside) : own;
  return {
    name: service.name,
    image: built?.base ?? imageOf(service),
    commands: started.map(command => command.map(word => mounted(word, mountsOf(service)))),
    environment,
    launched: withVisible(
      {
        ...launchedBy(service, known),
        ...(built && built.releases.length > 0 && { releases: built.releases }),
      },
      environment,
    ),
    ...((isReplaced(service) || startsItself(service, built)) && { isReplaced: true }),
  };
}

const startsItself = (service: Service, built: BuiltImage | null): boolean =>
  valueOf(service, 'entrypoint') === null && (built?.entrypoint.length ?? 0) > 0;

/** The commands of a service behind what its own image starts with. */
function inImage(
  service: Service,
  built: BuiltImage,
  stated: readonly Command[],
  variables: Variables,
): readonly Command[] {
  const at = service.parts[0]?.node.span.start ?? 0;
  const words = (texts: readonly string[]): Command =>
    texts.map(text =>
      unplaced(
        filled({ text, span: { start: at, end: at }, open: false, inText: false, isFixed: true }, variables),
      ),
    );
  if (valueOf(service, 'entrypoint') !== null) return stated;
  const [first = words(built.args), ...rest] = stated;
  const all = [...words(built.entrypoint), ...first];
  return all.length > 0 ? [all, ...rest] : rest;
}

/** A word of a Dockerfile with the container's own variables: the service's, then those of the file. */
function filled(word: Word, variables: Variables): Word {
  let isOpen = false;
  const text = word.text.replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) => {
    const value = variables.get(name) ?? null;
    isOpen ||= value === null;
    return value ?? whole;
  });
  return { ...word, text, open: isOpen };
}

/** An entry point of its own, or a shell, is no argument of the image's program. */
function isReplaced(service: Service): boolean {
  const [entrypoint, command] = ['entrypoint', 'command'].map(key => valueOf(service, key));
  const isStated =
    itemsOf(entrypoint).length > 0 || (entrypoint?.kind === 'scalar' && entrypoint.value !== null);
  const first =
    command?.kind === 'scalar' ? String(command.value ?? '') : (textAt(itemsOf(command)[0]) ?? '');
  return isStated || /^\s*(?:\/(?:usr\/)?bin\/)?(?:ba|da|z)?sh(?:\s|$)/.test(first);
}

/** The image's name; even with a variable in it, the rest identifies the program. */
function imageOf(service: Service): string {
  const at = valueOf(service, 'image');
  return at?.kind === 'scalar' ? String(at.value ?? '').replaceAll(/\$\{\w+:?-([^}]*)\}/g, '$1') : '';
}

/** Command and entry point replace those of the base file. */
function commandsOf(service: Service, owner: Layer, variables: Variables): Command[] {
  const wordsOf = (key: string): readonly Command[] => {
    const part = partWith(service, key);
    if (!part) return [];
    const found = wordsAt(nodeAt(part.node, key), part.layer.yaml.text, variables);
    // Positions in another file do not apply to the command's file.
    return part.layer.path === owner.path ? found : found.map(command => command.map(unplaced));
  };
  const [entrypoint = [], ...more] = wordsOf('entrypoint');
  const script = awaitsScript(entrypoint) ? handedScript(service, owner, variables) : null;
  if (script) return script;
  const [first = [], ...rest] = wordsOf('command');
  const all = [[...entrypoint, ...first], ...more, ...rest];
  return all.filter(command => command.length > 0);
}

/** `["/bin/sh", "-c"]`: the first word of the command is a script. */
const awaitsScript = (entrypoint: Command): boolean =>
  entrypoint[0]?.text.endsWith('sh') === true && /^-\w*c$/.test(entrypoint.at(-1)?.text ?? '');

function handedScript(service: Service, owner: Layer, variables: Variables): Command[] | null {
  const part = partWith(service, 'command');
  if (!part) return null;
  const item = resolvedItem(nodeAt(part.node, 'command'), 0);
  if (item?.kind !== 'scalar') return null;
  const found = commands(undoubled(located(item, part.layer.yaml.text)), variables);
  return found.map(command => (part.layer.path === owner.path ? command : command.map(unplaced)));
}

const unplaced = (word: Word): Word => (word.text.startsWith('-') ? { ...word, open: true } : word);

/** A list is one command, a text is parsed as shell. `sh -c` passes its script on. */
function wordsAt(node: YamlNode | null, text: string, variables: Variables): readonly Command[] {
  const at = node ? resolve(node) : null;
  if (at?.kind === 'scalar') return commands(inOneLine(undoubled(located(at, text))), variables);
  const words = argumentsIn(at, text, variables, 'shell');
  const script = words.findIndex(({ text: word }) => /^-\w*c$/.test(word)) + 1;
  const item = script > 0 && words[0]?.text.endsWith('sh') === true ? resolvedItem(at, script) : null;
  if (item?.kind === 'scalar') return commands(undoubled(located(item, text)), variables);
  return words.length > 0 ? [words] : [];
}

/**
 * A text is one command, whose line breaks outside quotes only part its words, such as those of flags below a program (compose-go,
 * types/command.go; go-shellwords, shellwords.go).
 */
function inOneLine({ text, at }: Located): Located {
  let quote = '';
  const kept = Array.from({ length: text.length }, (_, i) => {
    const character = text[i] ?? '';
    if (quote === '' && /["'`]/.test(character)) quote = character;
    else if (character === quote && text[i - 1] !== '\\') quote = '';
    return character === '\n' && quote === '' && text[i - 1] !== '\\' ? ' ' : character;
  });
  return { text: kept.join(''), at };
}

/** Compose's `$$` is a dollar sign of the shell in the container. */
function undoubled(script: Located): Located {
  const parts: Located[] = [];
  let from = 0;
  for (const { index } of script.text.matchAll(/\$\$/g)) {
    parts.push(slice(script, from, index));
    from = index + 1;
  }
  return joined([...parts, slice(script, from, script.text.length)]);
}

const resolvedItem = (list: YamlNode | null, i: number): YamlNode | null => {
  const item = itemsOf(list)[i];
  return item ? resolve(item) : null;
};

function launchedBy(service: Service, variables: Variables): Launched {
  // If there are several requests, the last one wins (moby, daemon/nvidia_linux.go).
  const part = service.parts.findLast(({ node }) => asksForGpu(node));
  if (!part) return { accelerator: CUDA };
  const ids = itemsOf(nodeAt(part.node, ...RESERVED, Math.max(gpuDevice(part.node), 0), 'device_ids'));
  const deviceIds = ids.flatMap(id => textAt(id) ?? []);
  const profiles = itemsOf(valueOf(service, 'profiles')).flatMap(item => textAt(item) ?? []);
  const active = (variables.get('COMPOSE_PROFILES') ?? '').split(',');
  const isActive = profiles.some(profile => active.includes(profile));
  return {
    accelerator: CUDA,
    devices: devicesOf(part, variables),
    ...(deviceIds.length > 0 && { deviceIds }),
    ...(profiles.length > 0 && !isActive && { profiles }),
  };
}

function devicesOf({ node, path, layer }: ServicePart, variables: Variables): Quantity<number> {
  const i = gpuDevice(node);
  const device = [...path, ...RESERVED, Math.max(i, 0)];
  const reserved = i < 0 ? null : nodeAt(rootOf(layer), ...device);
  const ids = itemsOf(nodeAt(reserved, 'device_ids'));
  if (ids.length > 0) return derivedFrom([...device, 'device_ids'], ids.length, `${ids.length} device ids`);
  const [at, count] = reserved
    ? [[...device, 'count'], nodeAt(reserved, 'count')]
    : [[...path, 'gpus'], nodeAt(node, 'gpus')];
  const word =
    count?.kind === 'scalar' ? argument(located(count, layer.yaml.text), variables, 'shell') : null;
  const number = Number(word?.text ?? Number.NaN);
  if (Number.isInteger(number) && number > 0) return statedAt(layer, at, number);
  return unknown('All GPUs of the machine are asked for: how many these are is not in the files.');
}
