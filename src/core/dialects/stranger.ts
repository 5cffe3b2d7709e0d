import { ARGV, ARGV_TEXT } from '../yaml/node';
import type { MapNode, YamlDocument, YamlNode } from '../yaml/node';
import { formatPath, resolve } from '../yaml/path';
import { composerOf } from './defined/compile';
import type { DialectDefinition } from './defined/definition';
import type { Composer, Composition, Layer, NearbyFiles, Silence } from './engine/compose';
import { defaultsOf } from './engine/hydra/defaultsList';
import { Layers } from './engine/layers';
import { sourcesOf } from './engine/sources';
import { inferFrom } from './generic/infer';
import { leavesOf, leavesOfRun, plainName } from './generic/leaves';
import { GENERIC } from './generic/name';
import { words } from './generic/vocabulary';
import { known as knownBy } from './known';
import type { Known, KnownDialects } from './known';
import type { Loader } from '../yaml/scalars';
import { engineSettings } from './vllm/sections';

/**
 * The dialect of a document with unknown keys: that of a config below it, otherwise a reading by the vocabulary of all
 * its files together. Null if it is about something else.
 */
export async function recognizeUnknown(
  opened: Layer,
  files: NearbyFiles,
  known: KnownDialects,
): Promise<Known | null> {
  const at = opened.yaml.documents[opened.document]?.root;
  const root = at ? resolve(at) : null;
  if (root?.kind !== 'map') return null;
  const compose = composeOf(root, opened);
  const [composition] = compose ? await composerOf(compose)(opened, files) : [];
  const inherited = composition && dialectBeneath(composition, known);
  if (inherited) return inherited;
  const alone: Composition = { name: '', layers: [{ ...opened, mount: null }] };
  const loader = loaderOf(opened);
  const layers = new Layers(sourcesOf(GENERIC, composition ?? alone), [], loader);
  const isWhole = compose === null || composition?.gaps?.length === 0;
  const inferred = inferFrom(root, leavesOfRun(layers), { compose, isWhole, loader });
  if (inferred === null) return engineSettings(root, '') ? known.byId('vllm') : null;
  return compose === 'hydra' ? known.byId('hydra') : knownBy(inferred);
}

/**
 * What flags are that no program has: those of a script of one's own, by the vocabulary. Its own defaults are in its code, so that
 * what no flag says is not taken for granted, unless its code is known to say nothing else.
 */
export function recognizeFlags(
  { root }: YamlDocument,
  script = '',
  isWhole: boolean | Silence = false,
  hasLoop = false,
): Known | null {
  const at = root ? resolve(root) : null;
  if (at?.kind !== 'map' || (at.tag !== ARGV && at.tag !== ARGV_TEXT)) return null;
  const inferred = inferFrom(at, leavesOf(at), {
    compose: null,
    isWhole,
    trains: TRAINER.test(script),
    hasLoop,
  });
  return inferred && knownBy(inferred);
}

/**
 * What the loop of a program is, by what its calls and options say; `isWhole`: nothing else changes how it trains;
 * `isHanded`: the config that it is handed may say its batch.
 */
export function recognizeLoop(
  { root }: YamlDocument,
  isWhole: boolean | Silence,
  isHanded: boolean,
): Known | null {
  const at = root ? resolve(root) : null;
  if (at?.kind !== 'map') return null;
  const inferred = inferFrom(at, leavesOf(at), {
    compose: null,
    isWhole,
    trains: true,
    hasLoop: true,
    isHanded,
  });
  return inferred && knownBy(inferred);
}

/**
 * What the config of a program of one's own is, by the vocabulary, with what a command lays over it; `isWhole`: nothing
 * else says how its run is shared.
 */
export function recognizeConfig(
  { root }: YamlDocument,
  script: string,
  { isWhole, hasLoop }: { isWhole: boolean | Silence; hasLoop?: boolean | undefined } = { isWhole: true },
  over: Composition | null = null,
): Known | null {
  const at = root ? resolve(root) : null;
  if (at?.kind !== 'map' || at.tag !== null) return null;
  const leaves = over ? leavesOfRun(new Layers(sourcesOf(GENERIC, over))) : leavesOf(at);
  const trains = TRAINER.test(script);
  const inferred = inferFrom(at, leaves, { compose: null, isWhole, trains, hasLoop: hasLoop === true });
  return inferred && knownBy(inferred);
}

/** Names of scripts and modules that train: `finetune.py`, `main_pretrain.py`, `train/lora`. */
const TRAINER =
  /(?:^|[/_.-])(?:(?:pre|re)?train(?:ing|er)?|fine[-_]?tun(?:e|ing)|sft|dpo|grpo|ft)(?=[/_.\d-]|$)/i;

/** `${model.name}` is OmegaConf's, whoever loads it. */
const loaderOf = ({ yaml }: Layer): Loader => (yaml.text.includes('${') ? 'omegaconf' : 'pyyaml');

/** How it lies on others: by Hydra's list, by a key at its root that names files, or by several: `defaults: {data: data.yaml}`. */
function composeOf(root: MapNode, opened: Layer): DialectDefinition['compose'] {
  if (defaultsOf(opened).length > 0) return 'hydra';
  const naming = root.entries.flatMap(({ key, value }) => {
    const named = resolve(value);
    if (named?.kind === 'map' && key === 'defaults') {
      const files = named.entries.filter(entry => namesFile(resolve(entry.value)));
      return files.map(entry => formatPath([key, entry.key]));
    }
    const items = named?.kind === 'sequence' ? named.items : [named];
    const isBase = key === 'defaults' || words.bases.test(plainName(key));
    const inherits = words.inherits.test(plainName(key)) && items.some(namesSome);
    return (isBase && items.some(namesFile)) || inherits ? [key] : [];
  });
  return naming.length > 0 ? { keys: naming } : null;
}

/** How your own program lays a config on its bases. The libraries that it calls have none. */
export function ownComposer(opened: Layer): Composer | null {
  const at = opened.yaml.documents[opened.document]?.root;
  const root = at ? resolve(at) : null;
  const compose = root?.kind === 'map' ? composeOf(root, opened) : null;
  return compose && composerOf(compose);
}

const namesFile = (node: YamlNode | null): boolean =>
  node?.kind === 'scalar' && FILE.test(String(node.value));

/** `extends: ../base`, without its ending. */
const namesSome = (node: YamlNode | null): boolean =>
  node?.kind === 'scalar' && /^[\w./-]{1,200}$/.test(String(node.value)) && typeof node.value === 'string';

const FILE = /\.(?:ya?ml|json|toml)$/;

/** The dialect of the nearest config beneath that is a run's. */
function dialectBeneath({ beneath = [] }: Composition, known: KnownDialects): Known | null {
  for (const { yaml, document, mount } of beneath.toReversed()) {
    const at = mount === '' || mount === null ? yaml.documents[document] : undefined;
    const found = at ? known.recognize(at) : null;
    if (found?.dialect.role === 'run') return found;
  }
  return null;
}
