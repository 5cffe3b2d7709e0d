import type { Quantity } from '../spec/quantity';
import type { NetworkArguments } from '../models/network';
import type { RunSpec } from '../spec/runSpec';
import type { Composition } from './engine/compose';
import { WITHOUT_MEMORY } from './engine/sweep';

/** A run, with the turn of a loop that starts it. */
interface Turn {
  readonly run: RunSpec;
  readonly cell: Composition['cell'];
}

/**
 * Runs of loops once for all turns that say the same of them: a loop over seeds starts one run, a loop over batch sizes
 * one for each, named by the variables that differ.
 */
export function withoutEqualTurns(all: readonly Turn[]): readonly RunSpec[] {
  if (all.every(({ cell }) => cell === undefined)) return all.map(({ run }) => run);
  const kept: Turn[] = [];
  const seen = new Set<string>();
  for (const turn of all) {
    const said = turn.cell && `${turn.cell.at} ${valuesIn(turn.run)}`;
    if (said !== undefined && seen.has(said)) continue;
    if (said !== undefined) seen.add(said);
    kept.push(turn);
  }
  return kept.map(({ run, cell }) => {
    const others = kept.filter(one => cell && one.cell?.at === cell.at);
    const varying = [...(cell?.variables ?? [])].filter(([name, value]) =>
      others.some(one => one.cell?.variables.get(name) !== value),
    );
    const name = [run.name, ...varying.map(([variable, value]) => `${variable}=${value}`)];
    return varying.length === 0 ? run : { ...run, name: name.filter(Boolean).join(' ') };
  });
}

/** All that a run says of itself, without where it says it. */
function valuesIn({ dialect, quantities, details, ownSizes, network }: RunSpec): string {
  const values = [quantities, details].map(group =>
    Object.entries<Quantity<unknown>>(group).map(([name, { value }]) => [name, value]),
  );
  // A network of the project's own may be of any size that its config says.
  const own = quantities.model.value === null && network ? sizesIn(network.config) : null;
  return JSON.stringify([dialect, values, ownSizes, network?.path, own]);
}

const sizesIn = (config: NetworkArguments): readonly unknown[] =>
  Object.entries(config).filter(
    ([key, value]) => !WITHOUT_MEMORY.test(key) && (typeof value !== 'string' || /model|arch|net/i.test(key)),
  );
