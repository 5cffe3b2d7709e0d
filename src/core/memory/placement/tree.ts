import type { ModelFacts } from '../../models/model';
import type { PlacedModule } from './module';
import { moduleNames } from './names';
import type { ModuleNames } from './names';
import { BUFFERS, NORM } from './outline';
import type { Piece } from './outline';

/** A module with the pieces that it consists of. */
export interface Leaf {
  readonly module: PlacedModule;
  readonly pieces: readonly Piece[];
}

export interface Tree {
  readonly root: PlacedModule;
  /** In execution order. */
  readonly leaves: readonly Leaf[];
}

/** A model's modules as accelerate sees them: tables, lists of layers that are never split, norms; and the head. */
export function treeOf(pieces: readonly Piece[], model: ModelFacts): Tree {
  const names = moduleNames(model);
  const start = names.vision ? pieces.findIndex(({ name }) => name === TABLE) : 0;
  const sight = pieces.slice(0, Math.max(0, start));
  const rest = pieces.slice(sight.length);
  const leaves = [...visionLeaves(sight, names), ...stackLeaves(rest, names, model.kind)];
  return { root: containerOf('', leaves, 0), leaves };
}

/** The word table: earlier pieces of a vision model belong to the tower. */
const TABLE = 'embed_tokens';

function leafOf(name: string, pieces: readonly Piece[], whole: boolean): Leaf {
  const bytes = pieces.reduce((sum, { counted }) => sum + counted, 0);
  return { module: { name, bytes, children: [], whole }, pieces };
}

/** The tower's layers, then the patch embedding, then the projection to the language model. */
function visionLeaves(pieces: readonly Piece[], { vision }: ModuleNames): readonly Leaf[] {
  if (!vision) return [];
  const last = pieces.findLastIndex(({ isLayer }) => isLayer);
  let layer = 0;
  return pieces.map((piece, i) => {
    if (i === last) return leafOf(vision.projector, [piece], true);
    return piece.isLayer
      ? leafOf(`${vision.layers}.${layer++}`, [piece], true)
      : leafOf(vision.patches, [piece], false);
  });
}

/** Tables, layers and norms of a decoder or an encoder, or of both in sequence; then the head. */
function stackLeaves(
  pieces: readonly Piece[],
  names: ModuleNames,
  kind: ModelFacts['kind'],
): readonly Leaf[] {
  const first = pieces.findIndex(({ isLayer }) => isLayer);
  const last = pieces.findLastIndex(({ isLayer }) => isLayer);
  const before = pieces.slice(0, first);
  const after = pieces.slice(last + 1);
  const isBody = ({ name }: Piece): boolean => name === NORM || name === BUFFERS;
  const { body, decoder } = names;
  const shared = decoder ? body.slice(0, Math.max(0, body.lastIndexOf('.'))) : body;
  const named = (piece: Piece, within: string): Leaf =>
    leafOf(pathOf(within, names.called?.[piece.name] ?? piece.name), [piece], false);
  return [
    ...(kind === 'encoder'
      ? [leafOf(`${body}.embeddings`, before, true)]
      : before.map(piece => named(piece, shared))),
    ...layerLeaves(pieces.slice(first, last + 1), names),
    ...after.filter(isBody).map(piece => named(piece, (decoder ?? names).body)),
    ...after.filter(piece => !isBody(piece)).map(piece => leafOf(piece.name, [piece], false)),
  ];
}

const pathOf = (body: string, name: string): string => (body === '' ? name : `${body}.${name}`);

/** Layers by number; a norm between two lists ends the first one. */
function layerLeaves(pieces: readonly Piece[], names: ModuleNames): readonly Leaf[] {
  let list = { body: names.body, layers: names.layers };
  let number = 0;
  return pieces.map(piece => {
    if (piece.isLayer) return leafOf(`${list.body}.${list.layers}.${number++}`, [piece], true);
    const leaf = leafOf(`${list.body}.${names.called?.[piece.name] ?? piece.name}`, [piece], false);
    if (names.decoder && number > 0) {
      list = names.decoder;
      number = 0;
    }
    return leaf;
  });
}

/** Modules below one path, in order, split as in accelerate: by the next part of their names. */
function containerOf(name: string, leaves: readonly Leaf[], depth: number): PlacedModule {
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const part = leaf.module.name
      .split('.')
      .slice(0, depth + 1)
      .join('.');
    groups.set(part, [...(groups.get(part) ?? []), leaf]);
  }
  const children = [...groups].flatMap(([part, own]) => {
    const isOne = own.every(leaf => leaf.module.name === part);
    return isOne ? own.map(({ module }) => module) : [containerOf(part, own, depth + 1)];
  });
  const bytes = children.reduce((sum, child) => sum + child.bytes, 0);
  return { name, bytes, children, whole: false };
}
