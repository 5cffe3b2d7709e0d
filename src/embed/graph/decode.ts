import { PbfReader } from 'pbf';
import { EmbedError } from '../errors';
import { fromHalf } from './float16';
import { ELEMENT } from './graph';
import type { Weights } from './weights';

interface Stored {
  name: string;
  element: number;
  readonly shape: number[];
  bytes: Uint8Array;
}

/** Tensors of an ONNX file by name. Field numbers are from onnx.proto. */
function tensorsIn(file: Uint8Array): ReadonlyMap<string, Stored> {
  const tensors = new Map<string, Stored>();
  const tensor = (tag: number, into: Stored, pbf: PbfReader): void => {
    if (tag === 1) into.shape.push(pbf.readVarint(true));
    else if (tag === 2) into.element = pbf.readVarint();
    else if (tag === 8) into.name = pbf.readString();
    else if (tag === 9) into.bytes = pbf.readBytes();
  };
  const graph = (tag: number, _: null, pbf: PbfReader): void => {
    if (tag !== 5) return;
    const read = pbf.readMessage(tensor, { name: '', element: 0, shape: [], bytes: new Uint8Array(0) });
    tensors.set(read.name, read);
  };
  new PbfReader(file).readFields((tag, _: null, pbf) => {
    if (tag === 7) pbf.readMessage(graph, null);
  }, null);
  return tensors;
}

/** Weights of a model that was written with `blocks`, with torch's names and layout. */
export function blockWeights(file: Uint8Array, named: string): (name: string) => Weights {
  const tensors = tensorsIn(file);
  return name => {
    const weights = whole(tensors, name) ?? fromBlocks(tensors, name);
    if (!weights) throw new EmbedError('bad-model', `${named}: it holds no ${name}; fetch the model again.`);
    const isMatrix = weights.shape.length === 2 && !name.includes('embeddings');
    return isMatrix ? turned(weights) : weights;
  };
}

function whole(tensors: ReadonlyMap<string, Stored>, name: string): Weights | null {
  const tensor = tensors.get(name);
  if (tensor?.element !== ELEMENT.float32) return null;
  return { shape: tensor.shape, data: new Float32Array(new Uint8Array(tensor.bytes).buffer) };
}

function fromBlocks(tensors: ReadonlyMap<string, Stored>, name: string): Weights | null {
  const [values, scales] = [tensors.get(`${name}_q`), tensors.get(`${name}_s`)];
  if (!values || !scales) return null;
  const small = new Int8Array(new Uint8Array(values.bytes).buffer);
  const halves = new Uint16Array(new Uint8Array(scales.bytes).buffer);
  const [first = 0, second = 0, columns] = values.shape;
  const data = new Float32Array(small.length);
  for (let i = 0; i < small.length; i++) {
    // A table has one scale per row; a matrix has one per block of a column.
    const at =
      columns === undefined
        ? Math.floor(i / second)
        : Math.floor(i / (second * columns)) * columns + (i % columns);
    data[i] = (small[i] ?? 0) * fromHalf(halves[at] ?? 0);
  }
  return { shape: columns === undefined ? [first, second] : [first * second, columns], data };
}

function turned({ shape, data }: Weights): Weights {
  const [rows = 0, columns = 0] = shape;
  const out = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      out[column * rows + row] = data[row * columns + column] ?? 0;
    }
  }
  return { shape: [columns, rows], data: out };
}
