import { ELEMENT } from './graph';
import type { Graph } from './graph';
import { roundHalfEven, toHalf, fromHalf } from './float16';

/** A tensor in single precision, row-major. */
export interface Weights {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** How a graph stores its matrices: unchanged, or in fewer bits. Returns the name of the value to use. */
export interface Storage {
  /** A lookup table by row: `[rows, columns]`. */
  readonly table: (graph: Graph, name: string, table: Weights) => string;
  /** `x · matrix` for a matrix `[inputs, outputs]`. */
  readonly product: (graph: Graph, x: string, name: string, matrix: Weights) => string;
  /** The same with a bias in one operation, if available for an `x` of rows. */
  readonly linear?: (graph: Graph, x: string, name: string, matrix: Weights, bias: string) => string;
}

/** Inputs of a column that share a scale. */
const BLOCK = 32;
/** Smaller tables stay unchanged: compressing them gains nothing. */
const LEAST_ELEMENTS = 4096;
const LARGEST = 127;

/** Single precision, as exporters write it. */
export const plain: Storage = {
  table: (graph, name, { shape, data }) => graph.tensor(name, 'float32', shape, data),
  product: (graph, x, name, { shape, data }) =>
    graph.add('MatMul', [x, graph.tensor(name, 'float32', shape, data)]),
};

/** Single precision for graphs of rows: the bias is fused with the product. */
export const rows: Storage = {
  ...plain,
  linear: (graph, x, name, { shape, data }, bias) =>
    graph.add('Gemm', [x, graph.tensor(name, 'float32', shape, data), bias]),
};

/**
 * Weights as bytes, arithmetic in single precision: ONNX Runtime expands them once, when it loads the model, so
 * they cost no run time. A table has one scale per row; a matrix has one per 32 inputs of a column.
 */
export const blocks: Storage = {
  table: stored,
  product: (graph, x, name, matrix) => graph.add('MatMul', [x, stored(graph, name, matrix)]),
};

function stored(graph: Graph, name: string, { shape, data }: Weights): string {
  const [rows = 0, columns = 0] = shape;
  if (rows * columns < LEAST_ELEMENTS) return graph.tensor(name, 'float32', shape, data);
  const isTable = name.includes('embeddings') || rows % BLOCK !== 0;
  const view = isTable
    ? { groups: rows, inner: columns, columns: 1 }
    : { groups: rows / BLOCK, inner: BLOCK, columns };
  const { values, scales } = quantized(data, view);
  const wide = isTable ? [rows, columns] : [rows / BLOCK, BLOCK, columns];
  const scaled = isTable ? [rows, 1] : [rows / BLOCK, 1, columns];
  const small = graph.tensor(`${name}_q`, 'int8', wide, values);
  const halves = graph.tensor(`${name}_s`, 'float16', scaled, scales);
  const whole = graph.add('Cast', [small], { to: ELEMENT.float32 }, `${name}_f`);
  const scale = graph.add('Cast', [halves], { to: ELEMENT.float32 }, `${name}_t`);
  const product = graph.add('Mul', [whole, scale], {}, `${name}_m`);
  return graph.add('Reshape', [product, graph.wholes(`${name}_d`, shape)], {}, name);
}

/** `inner` elements at distance `columns` share a scale. */
interface Grouping {
  readonly groups: number;
  readonly inner: number;
  readonly columns: number;
}

function quantized(data: Float32Array, { groups, inner, columns }: Grouping) {
  const values = new Int8Array(data.length);
  const scales = new Uint16Array(groups * columns);
  for (let group = 0; group < groups; group++) {
    for (let column = 0; column < columns; column++) {
      const first = group * inner * columns + column;
      const half = scaleOf(data, first, inner, columns);
      scales[group * columns + column] = half;
      const scale = fromHalf(half);
      for (let i = 0, at = first; i < inner; i++, at += columns) {
        values[at] = clipped(roundHalfEven(Math.fround((data[at] ?? 0) / scale)));
      }
    }
  }
  return { values, scales };
}

const ONE = 0x3c00;

function scaleOf(data: Float32Array, first: number, inner: number, step: number): number {
  let most = 0;
  for (let i = 0, at = first; i < inner; i++, at += step) most = Math.max(most, Math.abs(data[at] ?? 0));
  return toHalf(Math.fround(most / LARGEST)) || ONE;
}

const clipped = (value: number): number => Math.max(-LARGEST, Math.min(LARGEST, value));

/**
 * Integer arithmetic: activations are scaled per call, weights per column (onnxruntime/quantization,
 * quantize_dynamic with per_channel). Faster on CPUs with VNNI, and less precise.
 */
export const columns: Storage = {
  table: plain.table,
  product(graph, x, name, { shape, data }) {
    const [, width = 0] = shape;
    const { values, scales } = byColumn(data, width);
    const outputs = ['_a', '_as', '_az'].map(end => `${x}${end}`);
    const [a = '', scale = '', zero = ''] = outputs;
    if (!graph.operations.some(each => each.outputs[0] === a)) {
      graph.addMany('DynamicQuantizeLinear', [x], outputs);
    }
    const matrix = graph.tensor(`${name}_q`, 'int8', shape, values);
    const zeros = graph.tensor(`${name}_z`, 'int8', [width], new Int8Array(width));
    const product = graph.add('MatMulInteger', [a, matrix, zero, zeros]);
    const single = graph.add('Cast', [product], { to: ELEMENT.float32 });
    const both = graph.add('Mul', [scale, graph.tensor(`${name}_s`, 'float32', [width], scales)]);
    return graph.add('Mul', [single, both]);
  },
};

function byColumn(data: Float32Array, width: number) {
  const values = new Int8Array(data.length);
  const scales = new Float32Array(width);
  for (let column = 0; column < width; column++) {
    let most = 0;
    for (let at = column; at < data.length; at += width) most = Math.max(most, Math.abs(data[at] ?? 0));
    const scale = Math.fround(most / LARGEST) || 1;
    scales[column] = scale;
    for (let at = column; at < data.length; at += width) {
      values[at] = clipped(roundHalfEven((data[at] ?? 0) / scale));
    }
  }
  return { values, scales };
}
