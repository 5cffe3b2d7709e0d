import { childrenOf } from '../python/expressions';
import { openedConfig } from '../python/openedConfig';
import { programOf } from '../python/source';
import { syntaxTree } from '../python/tree';
import type { Project } from '../python/project';
import { valueOf } from './instantiate';
import { INNER_MODULES, LIBRARY_TEXTS } from './libraries/texts';
import type { Frame, Import } from './machine';
import { Interpreter } from './interpreter';
import { classFile } from './programs';
import { run } from './statements';
import { Dictionary, Instance, Raised, Scope } from './values';
import type { Home, Value } from './values';

/** Modules that no project has. */
const LIBRARIES =
  /^(?:torch|torchvision|torchaudio|numpy|np|math|typing|einops|timm|transformers|lightning|pytorch_lightning|functools|collections|os|sys|abc|dataclasses|logging|omegaconf|hydra|scipy|sklearn|pandas|wandb|monai|mmseg|diffusers|segmentation_models_pytorch)(?:\.|$)/;

/** Paths of descriptions, which no project has. */
const DESCRIBED = 'libraries:/';

/** Longer files are not read. */
const LONGEST = 200_000;

/** The program files of one project, run once each for what they define. */
export class Homes {
  readonly machine: Interpreter;
  private readonly homes = new Map<string, Home>();

  constructor(private readonly project: Project) {
    this.machine = new Interpreter(
      this.imported,
      path => this.find(path)?.value ?? null,
      path => valueOf(openedConfig(project, path)),
    );
  }

  /** The file of a class path, and the value under its name; null: the project has none. */
  find(path: string): { readonly file: string; readonly value: Value } | null {
    const cut = path.lastIndexOf('.');
    if (cut < 0) return this.named(path);
    const described = this.described(path.slice(0, Math.max(0, cut)), path.slice(cut + 1), '');
    if (described !== null) return { file: '', value: described };
    const file = this.project.moduleFile(path.slice(0, Math.max(0, cut)), this.project.path);
    const value = file === null ? undefined : this.homeOf(file)?.scope.names.get(path.slice(cut + 1));
    return file === null || value === undefined ? null : { file, value };
  }

  /** A class that a config names without its module. */
  private named(name: string): { readonly file: string; readonly value: Value } | null {
    const file = classFile(this.project, name);
    const value = file === null ? undefined : this.homeOf(file)?.scope.names.get(name);
    return file === null || value === undefined ? null : { file, value };
  }

  /** Runs a program as its own command would, as far as it is known; returns its names, null if it can't be read. */
  start(path: string): Scope | null {
    const { machine } = this;
    const written = this.project.text(path);
    const text = (written === null ? null : programOf(path, written))?.text ?? null;
    const tree = text === null ? null : syntaxTree(text);
    if (text === null || tree === null) return null;
    const home = { path, text, scope: new Scope() };
    home.scope.set('__name__', '__main__');
    home.scope.set('__file__', path);
    machine.lenient = home;
    machine.blocks.push({ scope: home.scope, body: tree.topNode, text });
    const frame: Frame = { scope: home.scope, home, of: null, self: null };
    for (const statement of childrenOf(tree.topNode)) this.define(statement, frame);
    machine.lenient = null;
    return home.scope;
  }

  private readonly imported: Import = (module, name, from) =>
    this.described(module, name, from) ?? this.ofProject(module, name, from);

  private readonly ofProject: Import = (module, name, from) => {
    if (module === '' || LIBRARIES.test(module)) return null;
    const file = this.project.moduleFile(module, from === '' ? this.project.path : from);
    const home = file === null ? null : this.homeOf(file);
    if (name === null) return home && moduleOf(home);
    if (name === '*') return home && new Dictionary(new Map(home.scope.names));
    const own = home?.scope.names.get(name);
    if (own !== undefined) return own;
    const inner = this.project.moduleFile(
      module.endsWith('.') ? module + name : `${module}.${name}`,
      from === '' ? this.project.path : from,
    );
    const below = inner === null ? null : this.homeOf(inner);
    return below && moduleOf(below);
  };

  /** What the description of a library has under a name; null: no description has it. */
  private described(module: string, name: string | null, from: string): Value | null {
    const [root = ''] = module.split('.');
    const text = Object.hasOwn(LIBRARY_TEXTS, root) ? LIBRARY_TEXTS[root] : undefined;
    if (text === undefined || name === null) return null;
    if (INNER_MODULES.has(root) && !from.startsWith(DESCRIBED)) return null;
    return this.homeIn(`${DESCRIBED}${root}.py`, text)?.scope.names.get(name) ?? null;
  }

  private homeOf(path: string): Home | null {
    return this.homeIn(path, this.homes.get(path)?.text ?? this.project.text(path));
  }

  private homeIn(path: string, text: string | null): Home | null {
    const known = this.homes.get(path);
    if (known) return known;
    const tree = text === null || text.length > LONGEST ? null : syntaxTree(text);
    if (text === null || tree === null) return null;
    const home = { path, text, scope: new Scope() };
    home.scope.set('__name__', path);
    home.scope.set('__file__', path);
    this.homes.set(path, home);
    const frame: Frame = { scope: home.scope, home, of: null, self: null };
    for (const statement of childrenOf(tree.topNode)) this.define(statement, frame);
    return home;
  }

  /** One statement of a module; what can't be run defines nothing. */
  private define(statement: ReturnType<typeof childrenOf>[number], frame: Frame): void {
    try {
      run(this.machine, statement, frame, true);
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
    }
  }
}

/** A module as an object with its names. */
function moduleOf({ scope }: Home): Instance {
  const made = new Instance(null);
  for (const [name, value] of scope.names) made.attributes.set(name, value);
  return made;
}
