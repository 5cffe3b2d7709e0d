import type { Launched } from '../spec/runSpec';
import type { MapNode, ScalarNode, YamlNode } from '../yaml/node';
import { resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { runsOfJob, variablesOf } from './command/jobs';
import { CUDA, itemsOf, nodeAt, rootOf, statedAt, textAt } from './command/nodes';
import { argument, commands } from './command/shell';
import type { Command, Word } from './command/shell';
import { located } from './command/located';
import type { Located } from './command/located';
import { serversIn } from './command/servers';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import { environmentMap, environmentPairs } from './envelopes/environment';
import { productOf } from './envelopes/gpuProduct';
import { engineSettings } from './vllm/sections';
import { builtIn } from './defined/compile';
import file from './serverArguments.yaml';
import type { Dialect } from './dialect';

/** A mapping with arguments of a server, and those around it, the innermost first. */
interface Place {
  readonly node: MapNode;
  readonly path: YamlPath;
  readonly around: readonly { readonly node: YamlNode; readonly path: YamlPath }[];
  readonly words: Command;
  /** `command` replaces the program of the image. */
  readonly isReplaced: boolean;
}

const DEEPEST = 8;
/** Keys whose value is a list of words or a command; a command comes before its arguments. */
const COMMAND = /^(?:command|cmd)$/;
const ARGUMENTS = /^(?:\w*[aA]rgs|\w*_args|arguments|command|cmd)$/;

/** Flags that only one engine's server has, and what its image is called. */
const ENGINES: readonly (readonly [flag: RegExp, image: string])[] = [
  [/^--(?:max[-_]model[-_]len|gpu[-_]memory[-_]utilization|tensor[-_]parallel[-_]size)(?:=|$)/, 'vllm:'],
  [/^--(?:mem-fraction-static|context-length)(?:=|$)/, 'lmsysorg/sglang:'],
  [/^--(?:num-shard|max-total-tokens|max-batch-prefill-tokens)(?:=|$)/, 'text-generation-inference:'],
];

function placesIn(
  node: YamlNode | null | undefined,
  path: YamlPath,
  around: Place['around'],
  text: string,
): readonly Place[] {
  const at = node ? resolve(node) : null;
  if (at?.kind === 'sequence') {
    return at.items.flatMap((item, i) => placesIn(item, [...path, i], around, text));
  }
  if (at?.kind !== 'map' || path.length > DEEPEST) return [];
  const lists = at.entries
    .filter(({ key, merged }) => !merged && ARGUMENTS.test(key))
    .toSorted((a, b) => Number(COMMAND.test(b.key)) - Number(COMMAND.test(a.key)));
  const words = lists.flatMap(({ value }) => wordsOf(value, text));
  const here = { node: at, path, around: [{ node: at, path }, ...around] };
  const inner = at.entries.flatMap(({ key, value }) => placesIn(value, [...path, key], here.around, text));
  const isReplaced = lists.some(({ key }) => COMMAND.test(key));
  return words.length > 0 ? [{ ...here, words, isReplaced }, ...inner] : inner;
}

/** A list of words, or the text of one command. */
function wordsOf(value: YamlNode, text: string): Command {
  const at = resolve(value);
  if (at?.kind === 'scalar') {
    return isText(at) ? (commands(onOneLine(located(at, text)), new Map())[0] ?? []) : [];
  }
  return itemsOf(at).flatMap((item): readonly Word[] => {
    const one = resolve(item);
    if (one?.kind !== 'scalar') return [];
    const word = argument(located(one, text), new Map(), 'kubernetes');
    return [word.text.includes('{{') ? { ...word, open: true } : word];
  });
}

/** A command that a text holds in several lines. */
const onOneLine = (text: Located): Located => ({ ...text, text: text.text.replaceAll('\n', ' ') });

const isText = ({ value }: ScalarNode): boolean => typeof value === 'string';

/** Words that start a server, in a list or a text. */
const STARTS =
  /\b(?:vllm serve|llama-server|sglang\.launch_server|sglang serve|text-generation-launcher|lmdeploy serve|vllm\.entrypoints)\b/;

/** True for a file with arguments of a server that is known. */
function hasServer(node: YamlNode | null | undefined, depth = 0): boolean {
  const at = node ? resolve(node) : null;
  if (at?.kind === 'sequence') return at.items.some(item => hasServer(item, depth + 1));
  if (at?.kind !== 'map' || depth > DEEPEST) return false;
  return at.entries.some(({ key, value }) =>
    ARGUMENTS.test(key) && isOfServer(value) ? true : hasServer(value, depth + 1),
  );
}

function isOfServer(value: YamlNode): boolean {
  const at = resolve(value);
  const nodes = at?.kind === 'sequence' ? at.items.map(resolve) : [at];
  const words = nodes.flatMap(node => (node?.kind === 'scalar' ? String(node.value ?? '').split(/\s+/) : []));
  return STARTS.test(words.join(' ')) || words.some(word => ENGINES.some(([flag]) => flag.test(word)));
}

async function argumentRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const all: Composition[] = [];
  for (const place of placesIn(rootOf(opened), [], [], opened.yaml.text)) {
    const run = await runAt(place, opened, files);
    all.push(...run.filter(({ dialect }) => dialect !== undefined));
  }
  return all;
}

async function runAt(place: Place, opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const { node, path, words, isReplaced } = place;
  const servers = serversIn(files);
  const line = words.map(({ text }) => text).join(' ');
  const byFlags = ENGINES.find(([flag]) => words.some(({ text }) => flag.test(text)))?.[1] ?? '';
  const starts = servers.some(({ start }) => start.test(line));
  if (byFlags === '' && !starts) return [];
  const stated = imageOf(place);
  const image = servers.some(server => server.image.test(stated)) || starts ? stated : byFlags;
  const listed = nodeAt(node, 'env');
  const read = listed?.kind === 'sequence' ? environmentPairs : environmentMap;
  const environment = read(listed, [...path, 'env'], opened.yaml.text);
  const own = starts || /^[^-]/.test(line) ? [] : modelWords(place, words, opened);
  const filled = words.map(word => filledBy(word, variablesOf(environment)));
  const job = {
    name: nameOf(place),
    image,
    commands: [[...own, ...filled]],
    environment,
    launched: launchedBy(place, opened),
    ...(isReplaced && { isReplaced }),
  };
  return runsOfJob(job, opened, files);
}

/** The key of an entry, or the name of an item. */
function nameOf({ node, path }: Place): string {
  const key = path.at(-1);
  const named = textAt(node, 'name');
  return typeof key === 'number' ? (named ?? String(key)) : (key ?? named ?? '');
}

/** `$(NAME)` of the container's own environment. */
function filledBy(word: Word, variables: ReadonlyMap<string, string | null>): Word {
  const name = /^\$\((\w+)\)$/.exec(word.text)?.[1];
  const value = name === undefined ? null : (variables.get(name) ?? null);
  return value === null ? word : { ...word, text: value, open: false };
}

/** `image: a/b:1`, or `image: {repository: a/b, tag: 1}`, in the mapping or in one around it. */
function imageOf({ around }: Place): string {
  for (const { node } of around) {
    const whole = textAt(node, 'image');
    if (whole !== null) return whole;
    const name = textAt(node, 'image', 'repository') ?? textAt(node, 'image', 'name');
    if (name !== null) return `${name}:${textAt(node, 'image', 'tag') ?? ''}`;
  }
  return '';
}

const MODEL_KEYS: readonly YamlPath[] = [
  ['model'],
  ['modelName'],
  ['model_name'],
  ['modelId'],
  ['model_id'],
  ['modelPath'],
  ...['name', 'id', 'path', 'repo', 'repository', 'hfModel', 'source'].map(key => ['model', key]),
  ['modelArtifacts', 'uri'],
];

/** The model that a key names where no argument does. */
function modelWords({ around }: Place, words: Command, opened: Layer): Command {
  if (words.some(({ text }) => /^--model(?:[-_](?:path|id|tag))?(?:=|$)/.test(text))) return [];
  for (const { node } of around) {
    for (const path of MODEL_KEYS) {
      const at = nodeAt(node, ...path);
      if (at?.kind !== 'scalar' || !isText(at) || String(at.value).includes('{{')) continue;
      const inner = located(at, opened.yaml.text);
      const word = argument(inner, new Map(), 'kubernetes');
      const flag = { ...word, text: '--model', span: { start: word.span.start, end: word.span.start } };
      return [flag, { ...word, text: word.text.replace(/^hf:\/\//, '') }];
    }
  }
  return [];
}

const LIMITS: readonly YamlPath[] = ['limits', 'requests'].map(part => ['resources', part, 'nvidia.com/gpu']);

function launchedBy({ around }: Place, opened: Layer): Launched {
  for (const { node, path } of around) {
    for (const limit of LIMITS) {
      const count = Number(textAt(node, ...limit) ?? Number.NaN);
      if (!Number.isInteger(count) || count < 1) continue;
      const gpu = around.map(one => productOf(one.path, opened)).find(one => one !== null);
      const devices = statedAt(opened, [...path, ...limit], count);
      return { accelerator: CUDA, devices, ...(gpu && { gpu }) };
    }
  }
  return { accelerator: CUDA };
}

/** Values of charts, and configs of proxies, with the arguments of the servers that they start. */
export const serverArguments: Dialect = builtIn(file, {
  // A section of the engine's settings says more than the command that it fills in.
  accepts: root => hasServer(root) && engineSettings(root, '') === null,
  compose: argumentRuns,
});
