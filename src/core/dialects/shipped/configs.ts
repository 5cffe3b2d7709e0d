import { shippedLayer } from '../engine/settings';
import type { Layer } from '../engine/compose';
import type { Plain } from '../../yaml/scalars';
import { ownOf } from '../../yaml/tables';

/**
 * A config that a program has by its name: `tune run … --config llama3_1/8B_full`; null: it has none of that name. The
 * tables are loaded when the first command asks for one.
 */
export async function shippedConfig(shipped: string, name: string): Promise<Layer | null> {
  const { tables } = await import('./tables');
  const table = ownOf(tables, shipped);
  const own = table && ownOf(table.configs, name);
  if (!own) return null;
  const { framework, version, folder, ending } = table;
  return shippedLayer(`${folder}/${name}${ending}`, tree({ ...table.shared, ...own }), {
    framework,
    version,
  });
}

/** Nested keys of paths: `a.b`. */
function tree(leaves: Readonly<Record<string, Plain>>): Plain {
  const root: Record<string, Plain> = {};
  for (const [path, value] of Object.entries(leaves)) {
    if (value === null) continue;
    const parts = path.split('.');
    const last = parts.pop() ?? '';
    let at = root;
    for (const part of parts) at = (at[part] ??= {}) as Record<string, Plain>;
    at[last] = value;
  }
  return root;
}
