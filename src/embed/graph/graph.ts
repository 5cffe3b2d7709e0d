/** Element types with their numbers in onnx.proto, TensorProto.DataType. */
export const ELEMENT = { float32: 1, uint8: 2, int8: 3, int64: 7, float16: 10 } as const;

type Element = keyof typeof ELEMENT;

/** A tensor of a graph; `bytes` are its elements, little-endian, in row-major order. */
export interface Tensor {
  readonly name: string;
  readonly element: Element;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** A subgraph that runs if a condition holds; it can use the values of the enclosing graph. */
export interface Branch {
  readonly branch: Graph;
  readonly output: Port;
}

export type Attribute = number | { readonly float: number } | readonly number[] | Branch;

/** Operators of onnxruntime beyond ONNX's own. */
export const CONTRIBUTED = 'com.microsoft';

export interface Operation {
  /** With the prefix `CONTRIBUTED` and a dot for that domain. */
  readonly kind: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** An input or output; a dimension is a number or a name. Null: its shape is not given. */
export interface Port {
  readonly name: string;
  readonly element: Element;
  readonly shape: readonly (number | string)[] | null;
}

/** The bytes of a typed array. */
const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** An ONNX graph under construction: operations in execution order. */
export class Graph {
  readonly operations: Operation[] = [];
  readonly tensors: Tensor[];
  private readonly names: Set<string>;
  private readonly counted: { operations: number };

  /** `around`: the enclosing graph of a branch, which holds all tensors; names are unique across both. */
  constructor(around: Graph | null = null) {
    this.tensors = around?.tensors ?? [];
    this.names = around?.names ?? new Set();
    this.counted = around?.counted ?? { operations: 0 };
  }

  /** Adds a tensor once; returns its name. */
  tensor(name: string, element: Element, shape: readonly number[], data: ArrayBufferView): string {
    if (!this.names.has(name)) {
      this.names.add(name);
      this.tensors.push({ name, element, shape, bytes: bytesOf(data) });
    }
    return name;
  }

  number(name: string, value: number): string {
    return this.tensor(name, 'float32', [], Float32Array.of(value));
  }

  whole(name: string, value: number): string {
    return this.tensor(name, 'int64', [], BigInt64Array.of(BigInt(value)));
  }

  wholes(name: string, values: readonly number[]): string {
    return this.tensor(name, 'int64', [values.length], BigInt64Array.from(values, BigInt));
  }

  /** Adds an operation with one output; returns the output's name. */
  add(
    kind: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output = `${kind}_${this.counted.operations}`,
  ): string {
    this.counted.operations++;
    this.operations.push({ kind, inputs, outputs: [output], attributes });
    return output;
  }

  /** Adds an operation with several outputs. */
  addMany(kind: string, inputs: readonly string[], outputs: readonly string[]): void {
    this.counted.operations++;
    this.operations.push({ kind, inputs, outputs, attributes: {} });
  }
}
