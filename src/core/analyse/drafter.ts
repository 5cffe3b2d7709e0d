import type { ModelLookup } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import type { World } from './world';

/** The model together with the one that drafts tokens for it, where a server's arguments name one that is known. */
export async function withDrafter(
  run: RunSpec,
  lookup: ModelLookup,
  world: World,
  dependencies: Set<string>,
): Promise<Pick<ModelLookup, 'model' | 'why'>> {
  const drafter = run.details.servedExtras?.value?.drafter ?? null;
  if (lookup.model === null || drafter?.kind !== 'model' || drafter.model === null) return lookup;
  const found = await world.models.find(drafter.model, run.sources[0]?.path ?? '');
  for (const dependency of found.dependencies) dependencies.add(dependency);
  return found.model ? { ...lookup, model: { ...lookup.model, drafter: found.model } } : lookup;
}
