import type { ModelFacts } from '../../models/model';
import type { PlacedModule } from './module';
import { BUFFERS, NORM } from './outline';
import type { Piece } from './outline';

/** What modules are called in a family: the model without its head, and the list of layers in that. */
interface Paths {
  readonly body: string;
  readonly layers: string;
}

const USUAL: Paths = { body: 'model', layers: 'layers' };
const TRANSFORMER: Paths = { body: 'transformer', layers: 'h' };

/** `base_model_prefix` and the name of the list, as the modeling files of transformers 5.23 have them. */
const PATHS: Readonly<Record<string, Paths>> = {
  gpt2: TRANSFORMER,
  gpt_bigcode: TRANSFORMER,
  falcon: TRANSFORMER,
  bloom: TRANSFORMER,
  gpt_neox: { body: 'gpt_neox', layers: 'layers' },
  opt: { body: 'model.decoder', layers: 'layers' },
  bert: { body: 'bert', layers: 'encoder.layer' },
  roberta: { body: 'roberta', layers: 'encoder.layer' },
  'xlm-roberta': { body: 'roberta', layers: 'encoder.layer' },
};

/** A module with the pieces that it is made of. */
export interface Leaf {
  readonly module: PlacedModule;
  readonly pieces: readonly Piece[];
}

export interface Tree {
  readonly root: PlacedModule;
  /** In the order in which they run. */
  readonly leaves: readonly Leaf[];
}

const sumOf = (modules: readonly { readonly bytes: number }[]): number =>
  modules.reduce((sum, { bytes }) => sum + bytes, 0);

const container = (name: string, children: readonly PlacedModule[]): PlacedModule => ({
  name,
  bytes: sumOf(children),
  children,
  whole: false,
});

/** The modules of a model as accelerate sees them: tables, a list of layers that are never split, the norm; and the head. */
export function treeOf(pieces: readonly Piece[], { modelType, kind }: ModelFacts): Tree {
  const { body, layers } = PATHS[modelType] ?? USUAL;
  const leaves: Leaf[] = [];
  const leaf = (name: string, parts: readonly Piece[], whole: boolean): PlacedModule => {
    const bytes = parts.reduce((sum, { counted }) => sum + counted, 0);
    const module = { name, bytes, children: [], whole };
    leaves.push({ module, pieces: parts });
    return module;
  };
  const first = pieces.findIndex(({ isLayer }) => isLayer);
  const last = pieces.findLastIndex(({ isLayer }) => isLayer);
  const before = pieces.slice(0, first);
  const tables =
    kind === 'encoder'
      ? [leaf(`${body}.embeddings`, before, true)]
      : before.map(piece => leaf(`${body}.${piece.name}`, [piece], false));
  const list = pieces
    .slice(first, last + 1)
    .map((piece, i) => leaf(`${body}.${layers}.${i}`, [piece], piece.isLayer));
  const [inside, heads] = partedAfter(pieces.slice(last + 1));
  const ends = inside.map(piece => leaf(`${body}.${piece.name}`, [piece], false));
  const outer = heads.map(piece => leaf(piece.name, [piece], false));
  const model = container(body, [...tables, container(`${body}.${layers}`, list), ...ends]);
  return { root: container('', [model, ...outer]), leaves };
}

/** What comes after the layers: the norm and tables of rotations belong to the body, all else is head. */
function partedAfter(pieces: readonly Piece[]): readonly [readonly Piece[], readonly Piece[]] {
  const isBody = ({ name }: Piece): boolean => name === NORM || name === BUFFERS;
  return [pieces.filter(isBody), pieces.filter(piece => !isBody(piece))];
}
