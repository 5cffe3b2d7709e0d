import type { Quantity } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import { dirname, join } from '../../text/paths';
import type { MapNode, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import { runsOfJob, variablesOf } from '../command/jobs';
import type { Job } from '../command/jobs';
import { located } from '../command/located';
import {
  CUDA,
  below,
  derivedFrom,
  entriesOf,
  itemsOf,
  rootOf,
  statedAt,
  textAt,
  unknown,
} from '../command/nodes';
import { commands } from '../command/shell';
import type { Command } from '../command/shell';
import type { Variables } from '../command/shellValues';
import type { Composition, Layer, Neighbourhood } from '../engine/compose';
import { argumentsIn, environmentList, environmentMap } from './environment';

const RESERVED: YamlPath = ['deploy', 'resources', 'reservations', 'devices'];

/** True when some service asks for GPUs of NVIDIA's: estimates are of CUDA. */
export const reservesGpu = (root: MapNode): boolean =>
  entriesOf(below(root, 'services')).some(({ value }) => asksForGpu(value));

function asksForGpu(service: YamlNode): boolean {
  if (below(service, 'gpus') || textAt(service, 'runtime') === 'nvidia') return true;
  if (gpuDevice(service) >= 0) return true;
  return itemsOf(below(service, 'devices')).some(item =>
    /^nvidia\.com\/gpu|^\/dev\/nvidia/.test(textAt(item) ?? ''),
  );
}

/** Which reservation is one of GPUs. */
function gpuDevice(service: YamlNode): number {
  return itemsOf(below(service, ...RESERVED)).findIndex(
    device =>
      textAt(device, 'driver') === 'nvidia' ||
      itemsOf(below(device, 'capabilities')).some(item => textAt(item) === 'gpu'),
  );
}

/** One run for each thing that a service with GPUs starts. */
export async function composeRuns(opened: Layer, files: Neighbourhood): Promise<readonly Composition[]> {
  const services = entriesOf(below(rootOf(opened), 'services')).filter(({ value }) => asksForGpu(value));
  const variables = services.length > 0 ? await variablesBeside(opened, files) : NONE;
  const all: Composition[] = [];
  for (const { key, value } of services) {
    all.push(...(await runsOfJob(jobOf(key, value, opened, variables), opened, files)));
  }
  return all;
}

const NONE: Variables = new Map();

/** What Compose fills in for `${A}`: the `.env` file of the folder (docs.docker.com/compose/how-tos/environment-variables). */
async function variablesBeside({ path }: Layer, files: Neighbourhood): Promise<Variables> {
  const yaml = await files.read(join(dirname(path), '.env'));
  const lines = [...(yaml?.text ?? '').matchAll(/^(?:export\s+)?([A-Za-z_]\w*)=(.*?)\s*$/gm)];
  return new Map(lines.map(([, name = '', value = '']) => [name, value.replace(/^(['"])(.*)\1$/, '$2')]));
}

function jobOf(name: string, service: YamlNode, opened: Layer, known: Variables): Job {
  const { text } = opened.yaml;
  const path: YamlPath = ['services', name];
  const listed = below(service, 'environment');
  const read = listed?.kind === 'sequence' ? environmentList : environmentMap;
  const environment = read(listed, [...path, 'environment'], text, known);
  return {
    name,
    image: imageOf(service),
    commands: commandsOf(service, text, new Map([...variablesOf(environment), ...known])),
    environment,
    launched: launchedBy(service, path, opened),
  };
}

/** What is left of an image's name where a variable stands in it still tells the program. */
function imageOf(service: YamlNode): string {
  const at = below(service, 'image');
  return at?.kind === 'scalar' ? String(at.value ?? '').replaceAll(/\$\{\w+:?-([^}]*)\}/g, '$1') : '';
}

function commandsOf(service: YamlNode, text: string, variables: Variables): Command[] {
  const [entrypoint = [], ...more] = wordsAt(below(service, 'entrypoint'), text, variables);
  const given = wordsAt(below(service, 'command'), text, variables);
  const [first = [], ...rest] = given;
  const all = [[...entrypoint, ...first], ...more, ...rest];
  return all.filter(command => command.length > 0);
}

/** A list is one command, a text what a shell would read. `sh -c` hands its script on. */
function wordsAt(node: YamlNode | null, text: string, variables: Variables): readonly Command[] {
  const at = node ? resolve(node) : null;
  if (at?.kind === 'scalar') return commands(located(at, text), variables);
  const words = argumentsIn(at, text, variables, 'shell');
  const script = words.findIndex(({ text: word }) => /^-\w*c$/.test(word)) + 1;
  const item = script > 0 && words[0]?.text.endsWith('sh') === true ? resolvedItem(at, script) : null;
  if (item?.kind === 'scalar') return commands(located(item, text), variables);
  return words.length > 0 ? [words] : [];
}

const resolvedItem = (list: YamlNode | null, i: number): YamlNode | null => {
  const item = itemsOf(list)[i];
  return item ? resolve(item) : null;
};

function launchedBy(service: YamlNode, path: YamlPath, opened: Layer): Launched {
  const ids = itemsOf(below(service, ...RESERVED, Math.max(gpuDevice(service), 0), 'device_ids'));
  const deviceIds = ids.flatMap(id => textAt(id) ?? []);
  return {
    accelerator: CUDA,
    devices: devicesOf(service, path, opened),
    ...(deviceIds.length > 0 && { deviceIds }),
  };
}

function devicesOf(service: YamlNode, path: YamlPath, opened: Layer): Quantity<number> {
  const i = gpuDevice(service);
  const device = [...path, ...RESERVED, Math.max(i, 0)];
  const reserved = i < 0 ? null : below(rootOf(opened), ...device);
  const ids = itemsOf(below(reserved, 'device_ids'));
  if (ids.length > 0) return derivedFrom([...device, 'device_ids'], ids.length, `${ids.length} device ids`);
  const [at, count] = reserved
    ? [[...device, 'count'], textAt(reserved, 'count')]
    : [[...path, 'gpus'], textAt(service, 'gpus')];
  const number = Number(count ?? Number.NaN);
  if (Number.isInteger(number) && number > 0) return statedAt(opened, at, number);
  return unknown('All GPUs of the machine are asked for: how many these are is not in the files.');
}
