import type { Launched } from '../spec/runSpec';
import type { MapNode, ScalarNode, YamlNode } from '../yaml/node';
import { resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { runsOfJob, variablesOf } from './command/jobs';
import { CUDA, entriesOf, gpuLimit, itemsOf, nodeAt, rootOf, textAt } from './command/nodes';
import { commands } from './command/shell';
import { argument } from './command/word';
import type { Command, Word } from './command/word';
import { located, withReferences } from './command/located';
import type { Located } from '../text/located';
import { serversIn } from './command/servers';
import { withFixed } from './command/tree';
import type { Composer, Composition, Layer, NearbyFiles } from './engine/compose';
import { environmentList, environmentMap, environmentPairs, withVisible } from './envelopes/environment';
import { productOf } from './envelopes/gpuProduct';
import { overChart } from './envelopes/helm';
import { vllmRuns } from './vllm/charts';
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
  source: Source,
): readonly Place[] {
  const at = node ? resolve(node) : null;
  if (at?.kind === 'sequence') {
    return at.items.flatMap((item, i) => placesIn(item, [...path, i], around, source));
  }
  if (at?.kind !== 'map' || path.length > DEEPEST) return [];
  const lists = at.entries
    .filter(({ key, merged }) => !merged && ARGUMENTS.test(key))
    .toSorted((a, b) => Number(COMMAND.test(b.key)) - Number(COMMAND.test(a.key)));
  const words = lists.flatMap(({ value }) => wordsOf(value, source));
  const here = { node: at, path, around: [{ node: at, path }, ...around] };
  const inner = at.entries.flatMap(({ key, value }) => placesIn(value, [...path, key], here.around, source));
  const isReplaced = lists.some(({ key }) => COMMAND.test(key));
  return words.length > 0 ? [{ ...here, words, isReplaced }, ...inner] : inner;
}

/** The file's text, and what stands for `${name}` in its commands: macros of a proxy (mostlygeek/llama-swap). */
interface Source {
  readonly text: string;
  readonly known: ReadonlyMap<string, string>;
}

/** Macros use those above them; what a macro says has no place of its own. */
function withMacros(command: Located, known: Source['known'], depth = 0): Located {
  const filled = withReferences(command, MACRO, name => known.get(name)?.trim());
  const isFilled = filled === command || filled.text.length > MOST_CHARACTERS || depth >= MOST_MACROS;
  return isFilled ? command : withMacros(filled, known, depth + 1);
}

const MACRO = /\$\{([\w-]{1,64})\}/g;
const MOST_MACROS = 32;
const MOST_CHARACTERS = 20_000;

/** A list of words, or the text of one command. */
function wordsOf(value: YamlNode, { text, known }: Source): Command {
  const at = resolve(value);
  if (at?.kind === 'scalar') {
    const whole = withMacros(located(at, text), known);
    return isText(at) ? (commands(onOneLine(whole), new Map())[0] ?? []) : [];
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
  /\b(?:vllm serve|llama-server|sglang\.launch_server|sglang serve|text-generation-launcher|lmdeploy serve|vllm\.entrypoints|dynamo\.(?:vllm|sglang)|(?:docker|podman) run .{0,2000}(?:llama\.cpp:|vllm-openai|lmsysorg\/sglang|text-generation-inference))\b/s;

/** True for a file with arguments of a server that is known. */
export function hasServer(node: YamlNode | null | undefined, depth = 0): boolean {
  const at = node ? resolve(node) : null;
  if (at?.kind === 'sequence') return at.items.some(item => hasServer(item, depth + 1));
  if (at?.kind !== 'map' || depth > DEEPEST) return false;
  return at.entries.some(({ key, value }) => {
    const values = key === 'macros' ? entriesOf(value).map(entry => entry.value) : [];
    const isServers = ARGUMENTS.test(key) ? isOfServer(value) : values.some(isOfServer);
    return isServers || hasServer(value, depth + 1);
  });
}

function isOfServer(value: YamlNode): boolean {
  const at = resolve(value);
  const nodes = at?.kind === 'sequence' ? at.items.map(resolve) : [at];
  const words = nodes.flatMap(node => (node?.kind === 'scalar' ? String(node.value ?? '').split(/\s+/) : []));
  return STARTS.test(words.join(' ')) || words.some(word => ENGINES.some(([flag]) => flag.test(word)));
}

/** One run for each server whose arguments stand in a file. */
export async function argumentRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const all: Composition[] = [];
  const root = rootOf(opened);
  const { text } = opened.yaml;
  const macros = entriesOf(nodeAt(root, 'macros')).flatMap(({ key, value }) => {
    const at = resolve(value);
    return at?.kind === 'scalar' ? [[key, located(at, text).text] as const] : [];
  });
  const known = new Map(macros);
  for (const place of placesIn(root, [], [], { text, known })) {
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
  const isContainer = /^(?:\S*\/)?(?:docker|podman|nerdctl) (?:run|create) /.test(line);
  const starts = servers.some(({ start, image }) => start.test(line) || (isContainer && image.test(line)));
  if (byFlags === '' && !starts) return [];
  const stated = imageOf(place);
  const image = servers.some(server => server.image.test(stated)) || starts ? stated : byFlags;
  const listed = nodeAt(node, 'env');
  const isPairs = listed?.kind === 'sequence' && listed.items.some(item => resolve(item)?.kind === 'map');
  const read = isPairs ? environmentPairs : listed?.kind === 'sequence' ? environmentList : environmentMap;
  const environment = read(listed, [...path, 'env'], opened.yaml.text);
  const isFilled = starts || /^[^-]/.test(line);
  const own = isFilled ? [] : [...modelWords(place, words, opened), ...rankWords(place, words, opened)];
  const filled = words.map(word => filledBy(word, variablesOf(environment)));
  const job = {
    name: nameOf(place),
    image,
    commands: [[...own, ...filled]],
    environment,
    launched: withVisible(launchedBy(place, opened), environment),
    ...(isReplaced && { isReplaced }),
  };
  const runs = await runsOfJob(job, opened, files);
  const { text } = opened.yaml;
  const inMacros = words.map(({ span }) => span).filter(({ start }) => text.startsWith('${', start));
  return runs.map(run => withFixed(run, inMacros));
}

/** The key of an entry, or the name of an item; what only wraps a container names nothing. */
function nameOf({ node, path }: Place): string {
  const key = path.findLast(part => part !== 'mainContainer' && part !== 'extraPodSpec');
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

/** Ranks that a chart makes flags of (llm-d-incubation/llm-d-modelservice, templates/_helpers.tpl, `parallelism`). */
function rankWords({ around }: Place, words: Command, opened: Layer): Command {
  return ['tensor', 'data'].flatMap((kind): Command => {
    const flag = `--${kind}-parallel-size`;
    if (words.some(({ text }) => text.startsWith(flag))) return [];
    const at = around.map(({ node }) => nodeAt(node, 'parallelism', kind)).find(found => found !== null);
    if (at?.kind !== 'scalar' || typeof at.value !== 'number') return [];
    const word = argument(located(at, opened.yaml.text), new Map(), 'kubernetes');
    return [{ ...word, text: flag, span: { start: word.span.start, end: word.span.start } }, word];
  });
}

function launchedBy({ around }: Place, opened: Layer): Launched {
  const devices = gpuLimit(around, opened);
  const gpu = devices && around.map(one => productOf(one.path, opened)).find(one => one !== null);
  return { accelerator: CUDA, ...(devices && { devices }), ...(gpu && { gpu }) };
}

/** How a chart's values are read: a section of the engine's settings says more than the command that it fills in. */
export function valuesReader(root: MapNode): Composer | null {
  if (engineSettings(root, '') ?? nodeAt(root, 'servingEngineSpec', 'modelSpec')) return vllmRuns;
  return hasServer(root) ? argumentRuns : null;
}

/** Values of charts, and configs of proxies, with the arguments of the servers that they start. */
export const serverArguments: Dialect = builtIn(file, {
  accepts: root => hasServer(root) && engineSettings(root, '') === null,
  compose: overChart(argumentRuns, valuesReader),
});
