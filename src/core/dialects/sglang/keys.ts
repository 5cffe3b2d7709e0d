import { rootOf } from '../command/nodes';
import { servers } from '../command/servers';
import { layerOf } from '../engine/settings';
import { alone } from '../engine/compose';
import type { Composition, Layer } from '../engine/compose';
import { ownOf } from '../../yaml/tables';

const aliases: Readonly<Record<string, string>> =
  servers.find(({ dialect }) => dialect === 'sglang')?.names.aliases ?? {};

/** Keys are flags, with dashes or underscores, in any spelling. */
export function sglangRun(opened: Layer): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const named = root?.entries.map(entry => ({ ...entry, key: flagName(entry.key), from: [entry.key] })) ?? [];
  if (!root || named.every(({ key, from }) => key === from[0])) return Promise.resolve([alone(opened)]);
  return Promise.resolve([{ name: '', layers: [layerOf(opened, { ...root, entries: named }, null)] }]);
}

function flagName(key: string): string {
  const dashed = key.replaceAll('_', '-');
  return ownOf(aliases, dashed) ?? dashed;
}
