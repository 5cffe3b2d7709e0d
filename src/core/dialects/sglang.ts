import { rootOf } from './command/nodes';
import { builtIn } from './defined/compile';
import file from './sglang.yaml';
import type { Dialect } from './dialect';
import { alone } from './engine/compose';
import type { Composition, Layer } from './engine/compose';
import { layerOf } from './engine/settings';
import { ownOf } from '../yaml/tables';

const aliases = file.program?.server?.aliases ?? {};

/** Keys are flags, with dashes or underscores, in any spelling. */
function sglangRun(opened: Layer): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const named = root?.entries.map(entry => ({ ...entry, key: flagName(entry.key), from: [entry.key] })) ?? [];
  if (!root || named.every(({ key, from }) => key === from[0])) return Promise.resolve([alone(opened)]);
  return Promise.resolve([{ name: '', layers: [layerOf(opened, { ...root, entries: named }, null)] }]);
}

function flagName(key: string): string {
  const dashed = key.replaceAll('_', '-');
  return ownOf(aliases, dashed) ?? dashed;
}

/** SGLang's server; sgl-project/sglang 004813e1, docs/advanced_features/server_arguments.md. */
export const sglang: Dialect = builtIn(file, { compose: sglangRun });
