import type { SourceFile, Via } from '../../spec/runSpec';
import type { Composition, Layer } from './compose';

/** True for the config, its overlays and its bases, which all use its dialect. */
export const isOwn = ({ via }: SourceFile): boolean =>
  via.kind === 'config' || via.kind === 'overlay' || via.kind === 'beneath';

/** The config first, then what lies over it, then what it lies on. */
export function sourcesOf(id: string, { layers, beneath = [] }: Composition): SourceFile[] {
  const source = ({ path, yaml, document }: Layer, via: Via): SourceFile => ({
    path,
    yaml,
    document,
    base: [],
    dialect: id,
    via,
  });
  return [
    ...layers.map(layer =>
      source(layer, layer.mount === null ? { kind: 'config' } : { kind: 'overlay', mount: layer.mount }),
    ),
    ...beneath.map(layer =>
      source(layer, {
        kind: 'beneath',
        mount: layer.mount ?? '',
        ...(layer.ships && { ships: layer.ships }),
      }),
    ),
  ];
}
