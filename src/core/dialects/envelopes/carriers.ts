import { basename } from '../../text/paths';
import { parseConfig } from '../../yaml/file';
import type { MapNode, ScalarNode, YamlNode } from '../../yaml/node';
import { scriptOf } from '../command/shell';
import { argument } from '../command/word';
import type { Script } from '../command/shell';
import type { Command } from '../command/word';
import type { Variables } from '../command/shellValues';
import { located } from '../command/located';
import type { Located } from '../../text/located';
import { kindOf } from './carrier';
import { fencedBlocks } from './fenced';
import { justRecipes, makeRecipes } from './recipes';
import { dockerCommands, modelfileCommands, supervisorCommands, unitCommands } from './units';

/** The commands of such a file, with their places in it; null: it is of no such kind. */
export function carriedCommands(
  path: string,
  text: string,
  known: Variables = new Map(),
): Pick<Script, 'always' | 'perhaps'> | null {
  const kind = kindOf(path);
  switch (kind) {
    case 'make':
      return scriptOf(makeRecipes(text), known);
    case 'just':
      return scriptOf(justRecipes(text), known);
    case 'markdown':
      return together(fencedBlocks(text));
    case 'ci':
      return together(ciScripts(path, text));
    case 'scripts':
      return together(namedScripts(path, text));
    case 'unit':
      return scriptOf(unitCommands(text), known);
    case 'supervisor':
      return scriptOf(supervisorCommands(text), known);
    case 'docker':
      return scriptOf(dockerCommands(text), known);
    case 'modelfile':
      return scriptOf(modelfileCommands(text), known);
    case 'tasks':
      return { always: configured(path, text, 'tasks').flatMap(taskCommand), perhaps: [] };
    case 'launch':
      return { always: configured(path, text, 'configurations').flatMap(launchCommand), perhaps: [] };
    case null:
      return null;
  }
}

function together(texts: readonly Located[]): Pick<Script, 'always' | 'perhaps'> {
  const all = texts.map(text => scriptOf(text, new Map()));
  return { always: all.flatMap(({ always }) => always), perhaps: all.flatMap(({ perhaps }) => perhaps) };
}

/** Keys of CI systems whose values are shell: one text, or a list of lines. */
const RUNS: ReadonlySet<string> = new Set([
  'run',
  'script',
  'bash',
  'command',
  'before_script',
  'cmds',
  'cmd',
]);
const DEEPEST = 20;

function ciScripts(path: string, text: string): readonly Located[] {
  const found: Located[] = [];
  const visit = (node: YamlNode | null | undefined, depth: number): void => {
    if (!node || depth > DEEPEST) return;
    if (node.kind === 'sequence') for (const item of node.items) visit(item, depth + 1);
    if (node.kind !== 'map') return;
    for (const { key, value, merged } of node.entries) {
      if (merged) continue;
      if (RUNS.has(key)) found.push(...scalarsIn(value).map(one => located(one, text)));
      if (value.kind !== 'scalar') visit(value, depth + 1);
    }
  };
  for (const { root } of parseConfig(path, text).documents) visit(root, 0);
  return found;
}

/** Tables of a project's own commands by their names: `"scripts": { "train": "python train.py" }`. */
const TABLES: ReadonlySet<string> = new Set(['scripts', 'tasks']);

function namedScripts(path: string, text: string): readonly Located[] {
  const found: Located[] = [];
  const visit = (node: YamlNode | null | undefined, depth: number, isTable: boolean): void => {
    if (node?.kind !== 'map' || depth > DEEPEST) return;
    for (const { key, value, merged } of node.entries) {
      if (merged) continue;
      if (isTable || key === 'cmd') found.push(...scalarsIn(value).map(one => located(one, text)));
      visit(value, depth + 1, TABLES.has(key));
    }
  };
  for (const { root } of parseConfig(path, text).documents) visit(root, 0, false);
  return found;
}

function scalarsIn(node: YamlNode): readonly ScalarNode[] {
  if (node.kind === 'scalar') return typeof node.value === 'string' ? [node] : [];
  return node.kind === 'sequence' ? node.items.flatMap(scalarsIn) : [];
}

/** A task or a launch configuration, with the text around it. */
interface Configured {
  readonly map: MapNode;
  readonly text: string;
}

function configured(path: string, text: string, key: string): readonly Configured[] {
  const root = parseConfig(path, text).documents[0]?.root;
  const list = root?.kind === 'map' ? root.entries.find(entry => entry.key === key)?.value : undefined;
  if (list?.kind !== 'sequence') return [];
  return list.items.flatMap(map => (map.kind === 'map' ? [{ map, text }] : []));
}

const scalarOf = ({ map }: Configured, key: string): ScalarNode | null => {
  const value = map.entries.find(entry => entry.key === key)?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value : null;
};

/** `args`, of which no shell reads any. */
function argumentsOf({ map, text }: Configured): Command {
  const value = map.entries.find(entry => entry.key === 'args')?.value;
  return value ? scalarsIn(value).map(one => argument(located(one, text), new Map(), 'shell')) : [];
}

function taskCommand(task: Configured): readonly Command[] {
  const command = scalarOf(task, 'command');
  if (!command) return [];
  const commands = scriptOf(located(command, task.text), new Map()).always;
  const rest = argumentsOf(task);
  const last = commands.at(-1);
  return last && rest.length > 0 ? [...commands.slice(0, -1), [...last, ...rest]] : commands;
}

/** What a debugger starts: a module or a program, with arguments. */
function launchCommand(configuration: Configured): readonly Command[] {
  const module = scalarOf(configuration, 'module');
  const started = module ?? scalarOf(configuration, 'program');
  if (!started) return [];
  const word = argument(located(started, configuration.text), new Map(), 'shell');
  const name = basename(word.text);
  const isPython = module !== null || name.endsWith('.py');
  const lead = (isPython ? ['python', ...(module ? ['-m'] : [])] : []).map(text => ({
    ...{ text, span: { start: word.span.start, end: word.span.start } },
    ...{ open: false, inText: false },
  }));
  return [[...lead, word, ...argumentsOf(configuration)]];
}
