import type { Entry, MapNode, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import { entriesOf, nodeAt, textAt } from '../command/nodes';
import type { Setting } from '../engine/compose';
import { argsIn, flagName, flagsIn } from './keys';

/** Arguments of the engine that have no other meaning. */
const OF_ENGINE: ReadonlySet<string> = new Set([
  'gpu-memory-utilization',
  'max-model-len',
  'max-num-seqs',
  'max-num-batched-tokens',
  'tensor-parallel-size',
  'enforce-eager',
  'kv-cache-dtype',
]);
const LEAST = 2;
const DEEPEST = 3;

/** Files of other programs, which may have such a section in a text of theirs. */
const OTHERS: ReadonlySet<string> = new Set(['apiVersion', 'services', 'jobs', 'on', '$schema']);

/** What a section says, and the section. */
export interface EngineSection {
  readonly settings: readonly Setting[];
  readonly node: MapNode;
  readonly path: YamlPath;
}

type Section = Omit<EngineSection, 'settings'>;

/** The sections of a program's own config that have arguments of the engine. */
function sectionsIn(node: YamlNode | null, path: YamlPath, isServed: boolean): readonly Section[] {
  const at = node && resolve(node);
  if (at?.kind !== 'map' || path.length > DEEPEST) return [];
  const own = at.entries.filter(({ key }) => OF_ENGINE.has(flagName(key))).length;
  const inner = at.entries.flatMap(({ key, value }) => sectionsIn(value, [...path, key], isServed));
  const isNamed =
    own > 0 &&
    path.some(key => /vllm/i.test(String(key))) &&
    (isServed || modelIn(at, path, SECTION_MODEL) !== null);
  return own >= LEAST || isNamed ? [{ node: at, path }, ...inner] : inner;
}

/** True for values of a chart that starts an image of vLLM: one argument of the engine is then enough. */
const isOfEngine = (root: MapNode): boolean =>
  /(?:^|\/)vllm[\w-]*(?::|$)/.test(textAt(root, 'image', 'repository') ?? textAt(root, 'image') ?? '');

/** The keys that name a model where it is described, the clearest first. */
const MODEL_KEYS = [
  'path',
  'name_or_path',
  'model_name_or_path',
  'model_path',
  'modelPath',
  'model_id',
  'repo_id',
  'repoId',
  'hfModelId',
  'modelId',
  'model_name',
  'name',
];
/** The same in a section of the engine's settings. */
const SECTION_MODEL = ['model', ...MODEL_KEYS.slice(1, -1)];
/** The engine's settings of a model if they are next to its name. */
const OF_MODEL: ReadonlySet<string> = new Set(['dtype', 'quantization', 'kv-cache-dtype', 'max-model-len']);

/**
 * The engine's arguments in a config of a program of one's own: a section with two or more of them, or one where the section
 * and the image or the model say whose it is, and the model there or in a section for it. Null where there is none, or more than one.
 */
export function engineSettings(root: MapNode, text: string): EngineSection | null {
  if (root.entries.some(({ key }) => OTHERS.has(key)) || learns(root, 0)) return null;
  const [section, ...others] = sectionsIn(root, [], isOfEngine(root));
  if (!section || section.path.length === 0 || others.length > 0) return null;
  const described = nodeAt(root, 'model');
  const model =
    modelIn(section.node, section.path, SECTION_MODEL) ??
    modelIn(section.node, section.path, isSame(section.path) ? MODEL_KEYS : []) ??
    modelIn(described, ['model'], MODEL_KEYS) ??
    modelIn(root, [], ['model', 'model_path', 'model_name_or_path', 'model_id']);
  if (model === null) return null;
  const own = flagsIn(section.node, section.path).filter(
    ({ path: [flag] }) => flag !== 'model' && flag !== 'name',
  );
  const added = section.node.entries.flatMap(({ key, value }) =>
    /args$/i.test(key) ? argsIn(value, text) : [],
  );
  const named = new Set(own.map(({ path: [flag] }) => flag));
  const siblings = isSame(section.path)
    ? []
    : flagsIn(described, ['model']).filter(
        ({ path: [flag] }) => OF_MODEL.has(String(flag)) && !named.has(flag),
      );
  return { settings: [model, ...siblings, ...own, ...added], ...section };
}

/** A config of a training, whose engine only writes answers for it: it has a learning rate. */
function learns(node: YamlNode, depth: number): boolean {
  const at = resolve(node);
  return (
    at?.kind === 'map' &&
    depth <= DEEPEST &&
    at.entries.some(({ key, value }) => /^(?:learning_?rate|lr)$/i.test(key) || learns(value, depth + 1))
  );
}

const isSame = (path: YamlPath): boolean => path.length === 1 && path[0] === 'model';

function modelIn(node: YamlNode | null, path: YamlPath, keys: readonly string[]): Setting | null {
  const entries = entriesOf(node);
  for (const key of keys) {
    const entry = entries.find((one: Entry) => one.key === key);
    const value = entry && resolve(entry.value);
    if (entry && value?.kind === 'scalar' && typeof value.value === 'string' && value.value !== '') {
      return { path: ['model'], keySpan: entry.keySpan, value: entry.value, from: [...path, key] };
    }
  }
  return null;
}
