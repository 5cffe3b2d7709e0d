import type { PlaceKind } from '../core/compare/place';

/** The icons of places in lists. */
export const PLACE_ICONS: Readonly<Record<Exclude<PlaceKind, 'catalog'>, string>> = {
  local: 'vm',
  ssh: 'remote',
  metrics: 'graph',
  slurm: 'server',
  ray: 'server',
  kubernetes: 'server',
};
