import type { Origin } from '../../spec/quantity';
import { shipperOf } from '../../spec/runSpec';
import type { SourceFile, Via } from '../../spec/runSpec';
import type { Composition, Layer } from './compose';
import type { Hit } from './layers';

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

/** Where the value of a key comes from; `first`: the file that the run begins in. */
export function originOf({ at, source, key, through }: Hit, first: string | undefined): Origin {
  if (through) {
    const to = key.includes('$') ? key : `\${${key}}`;
    return { kind: 'derived', from: [key], formula: `${through.path} is ${to}` };
  }
  const shipper = shipperOf(source);
  if (shipper) {
    const { framework, version } = shipper;
    return { kind: 'default', framework, version, source: source.path };
  }
  return { kind: at.file === first ? 'file' : 'referenced', at };
}
