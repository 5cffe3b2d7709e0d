import type { Architecture } from '../architecture';
import { ModelBuilder } from '../builder';
import type { Linear, LinearShape, Pass, Repeated } from '../modules';
import type { MemoryRun } from '../run';
import { Tape } from '../tape';
import type { Parameter } from '../tensor';
import type { TermIndex } from '../terms';
import { ADAPTERS, WEIGHTS } from '../terms';

/** A piece of a model in creation order: a layer, or a module outside layers. */
export interface Piece {
  /** `layer`, or the name of a table, a head, the norm. */
  readonly name: string;
  readonly isLayer: boolean;
  /** Bytes of weights on the device, and as accelerate counts them before loading. */
  bytes: number;
  counted: number;
  adapters: number;
  /** The largest of its weights: what an offloaded module copies to the device at a time. */
  largest: number;
}

/**
 * Bytes per element that accelerate assumes for quantization on loading (quantized_element_size of transformers).
 */
const COUNTED: Readonly<Record<string, number>> = { nf4: 0.5, 'nf4-dq': 0.5, int8: 1, fp8: 1 };

/** The name of unnamed pieces outside layers. */
export const NORM = 'norm';
export const BUFFERS = 'rotary_emb';

/** Builds a model without running it, and records its layers and their sizes. */
class OutlineBuilder extends ModelBuilder {
  private pieces: Piece[] = [];
  private layerOpen = false;
  private naming = NORM;

  outline(): readonly Piece[] {
    return this.pieces;
  }

  override layer<Rest extends readonly unknown[]>(make: () => Pass<Rest>): Pass<Rest> {
    this.beginLayer();
    const made = super.layer(make);
    this.layerOpen = false;
    return made;
  }

  /** The second part stands for all others. */
  override repeat<Part>(times: number, make: () => Part): readonly Repeated<Part>[] {
    const outer = this.pieces;
    const parts: Piece[][] = [];
    const made = super.repeat(times, () => {
      this.pieces = [];
      parts.push(this.pieces);
      return make();
    });
    const [first = [], others = []] = parts;
    const copies = Array.from({ length: times - 1 }, () => others.map(piece => ({ ...piece }))).flat();
    this.pieces = [...outer, ...first, ...copies];
    return made;
  }

  override embedding(name: string, rows: number, width: number): Parameter {
    return this.named(name, () => super.embedding(name, rows, width));
  }

  override linear(shape: LinearShape): Linear {
    return this.named(shape.name, () => super.linear(shape));
  }

  override record(term: TermIndex, held: string, count: number, bytes: number): void {
    super.record(term, held, count, bytes);
    const piece = this.current();
    if (term === ADAPTERS) piece.adapters += bytes;
    if (term !== WEIGHTS) return;
    piece.bytes += bytes;
    piece.largest = Math.max(piece.largest, bytes);
    piece.counted += count * (COUNTED[held] ?? bytes / Math.max(1, count));
  }

  override buffer(bytes: number): void {
    super.buffer(bytes);
    if (this.layerOpen) return;
    const piece = this.named(BUFFERS, () => this.current());
    piece.counted += bytes;
  }

  private named<R>(name: string, make: () => R): R {
    const outer = this.naming;
    this.naming = name;
    const made = make();
    this.naming = outer;
    return made;
  }

  private beginLayer(): void {
    this.layerOpen = true;
    this.pieces.push({ name: 'layer', isLayer: true, bytes: 0, counted: 0, adapters: 0, largest: 0 });
  }

  private current(): Piece {
    const last = this.pieces.at(-1);
    if (last && (last.isLayer ? this.layerOpen : last.name === this.naming)) return last;
    const piece = { name: this.naming, isLayer: false, bytes: 0, counted: 0, adapters: 0, largest: 0 };
    this.pieces.push(piece);
    return piece;
  }
}

/** The pieces of a model as a run holds it. */
export function outlineOf(architecture: Architecture, run: MemoryRun): readonly Piece[] {
  const builder = new OutlineBuilder(new Tape(), run);
  architecture.build(builder, run);
  return builder.outline();
}
