import type { NetworkArgument, NetworkArguments, NetworkClass } from '../../models/network';
import { libraryNetwork } from './libraryNetwork';
import { Unreadable } from '../engine/keyReader';
import type { RunReader } from '../engine/runReader';
import { parsePath } from '../../yaml/path';

/** Sections that hold the network, the likeliest first. */
const SECTIONS: readonly RegExp[] = [
  /^(?:model|network|net)$/,
  /^(?:lit_?module|lightning_?module|pl_?module|module|system|task|algorithm|experiment)$/,
  /^(?:model|network|net|generator|denoiser|backbone|encoder|architecture|arch)(?:_\w+)?$/,
];

/** Classes of libraries: what they build is no code of the project. */
const LIBRARIES =
  /^(?:torch|torchvision|torchaudio|timm|transformers|diffusers|lightning|pytorch_lightning|monai|segmentation_models_pytorch|smp|hydra|omegaconf|builtins|functools|nemo|ultralytics|sentence_transformers|torchmetrics|accelerate|wandb)\./;

/** `_target_` of Hydra, `class_path` of LightningCLI. */
const CLASS_KEYS = ['_target_', 'class_path'] as const;

/** Depth of a network's section. */
const DEEPEST = 3;

/**
 * The class of the project's own code that makes the network, with the arguments that the config states. Arguments whose
 * values only the run knows are left to the class.
 */
export function networkByRole(run: RunReader): NetworkClass {
  const tree = resolved(composed(run));
  const library = libraryNetwork(tree);
  for (const read of [classOf, namedClass]) {
    for (const pattern of SECTIONS) {
      const found = classIn(tree, pattern, read, 0);
      if (found) return { ...found, library, config: tree };
    }
  }
  return { ...(classOf(tree) ?? { path: null, arguments: {} }), library, config: tree };
}

type Tree = Record<string, NetworkArgument>;

const REFERENCE = /^\$\{([\w.]{1,200})\}$/;

/** References to other keys that only the program's loader follows, such as LightningCLI's `parser_mode: omegaconf`. */
function resolved(root: Tree): Tree {
  const at = (path: string): NetworkArgument | undefined =>
    path
      .split('.')
      .reduce<NetworkArgument | undefined>(
        (below, name) => (isTree(below) && Object.hasOwn(below, name) ? below[name] : undefined),
        root,
      );
  const walk = (tree: NetworkArguments, depth: number): Tree => {
    const found: Tree = {};
    for (const [name, value] of Object.entries(tree)) {
      const [, path] = typeof value === 'string' ? (REFERENCE.exec(value) ?? []) : [];
      const target = path === undefined ? undefined : at(path);
      const isPlain = target !== undefined && (typeof target !== 'object' || target === null);
      const own = isPlain ? target : value;
      put(found, name, isTree(own) && depth < DEEPEST_TREE ? walk(own, depth + 1) : own);
    }
    return found;
  };
  return walk(root, 0);
}

const DEEPEST_TREE = 12;

/** The composed config as plain values, without those that are not known. */
export function composed(run: RunReader): Tree {
  const root: Tree = {};
  // Whole sections first: an empty one is no leaf.
  for (const key of run.keys()) {
    const section = known(run, key);
    if (isTree(section)) put(root, key, copied(section));
  }
  for (const { key } of run.leaves()) {
    const value = known(run, key);
    if (value === undefined) continue;
    const path = parsePath(key).map(String);
    let at = root;
    for (const name of path.slice(0, -1)) {
      const below = Object.hasOwn(at, name) ? at[name] : undefined;
      const next: Tree = isTree(below) ? below : {};
      if (next !== below) put(at, name, next);
      at = next;
    }
    put(at, path.at(-1) ?? '', value);
  }
  return root;
}

/** A section that values of other files may be put into. */
function copied(section: NetworkArguments): Tree {
  const tree: Tree = {};
  for (const [name, value] of Object.entries(section)) put(tree, name, isTree(value) ? copied(value) : value);
  return tree;
}

/** No key of a config reaches the prototype. */
const put = (tree: Tree, name: string, value: NetworkArgument): void => {
  Object.defineProperty(tree, name, { value, enumerable: true, writable: true, configurable: true });
};

const isTree = (value: NetworkArgument | undefined): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function known(run: RunReader, key: string): NetworkArgument | undefined {
  try {
    return run.isNull(key) ? null : run.value(key);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

type Found = Pick<NetworkClass, 'path' | 'arguments'>;

type Reader = (section: NetworkArguments) => Found | null;

function classIn(tree: NetworkArguments, pattern: RegExp, read: Reader, depth: number): Found | null {
  if (depth > DEEPEST) return null;
  const sections = Object.entries(tree).filter((entry): entry is [string, Tree] => isTree(entry[1]));
  for (const [name, section] of sections) {
    const found = pattern.test(name) ? read(section) : null;
    if (found) return found;
  }
  for (const [, section] of sections) {
    const found = classIn(section, pattern, read, depth + 1);
    if (found) return found;
  }
  return null;
}

function classOf(section: NetworkArguments): Found | null {
  for (const key of CLASS_KEYS) {
    const path = section[key];
    if (typeof path !== 'string' || !/^[\w.]+\.\w+$/.test(path) || LIBRARIES.test(path)) continue;
    const inner = section['init_args'];
    return { path, arguments: key === 'class_path' ? (isTree(inner) ? inner : {}) : section };
  }
  return null;
}

/**
 * `{type: UNet, args: {…}}`: a class by its bare name, or with its module beside it, with its arguments in a section of
 * their own or beside it.
 */
function namedClass(section: NetworkArguments): Found | null {
  const { type, name, module, ...rest } = section;
  const own = type ?? name;
  if (typeof own !== 'string' || !/^[A-Z]\w+$/.test(own)) return null;
  const isPath = typeof module === 'string' && /^[\w.]+$/.test(module) && !LIBRARIES.test(`${module}.`);
  const inner = ['args', 'kwargs', 'params', 'parameters'].map(key => section[key]).find(isTree);
  return { path: isPath ? `${module}.${own}` : own, arguments: inner ?? (isPath ? {} : rest) };
}
