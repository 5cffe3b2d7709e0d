import { PbfWriter } from 'pbf';
import { CONTRIBUTED, ELEMENT } from './graph';
import type { Attribute, Branch, Graph, Operation, Port, Tensor } from './graph';

const IR_VERSION = 8;
/** LayerNormalization requires opset 17. */
const OPERATOR_SET = 17;
/** TensorProto.DataLocation */
const EXTERNAL = 1;
const TYPE = { float: 1, int: 2, graph: 5, ints: 7 } as const;

/** An external file for a model's large tensors, which the system maps into memory instead of copying. */
export interface DataFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Tensors are aligned to pages, of Windows' size. */
const PAGE = 65_536;
/** Smaller tensors stay in the model, because most of a page would be wasted. */
const LEAST_BYTES = 4096;

/** Field numbers are from onnx.proto. The same graph gives the same bytes. */
export function encodeModel(graph: Graph, inputs: readonly Port[], outputs: readonly Port[]): Uint8Array {
  return encoded({ graph, inputs, outputs, dataFile: null, places: new Map() });
}

/** The same with its large tensors in an external file. */
export function encodeModelWithData(
  graph: Graph,
  inputs: readonly Port[],
  outputs: readonly Port[],
  dataFile: string,
): { readonly model: Uint8Array; readonly data: DataFile } {
  const places = new Map<string, number>();
  let end = 0;
  for (const { name, bytes } of graph.tensors) {
    if (bytes.length < LEAST_BYTES) continue;
    const at = Math.ceil(end / PAGE) * PAGE;
    places.set(name, at);
    end = at + bytes.length;
  }
  const data = new Uint8Array(end);
  for (const { name, bytes } of graph.tensors) {
    const at = places.get(name);
    if (at !== undefined) data.set(bytes, at);
  }
  const model = encoded({ graph, inputs, outputs, dataFile, places });
  return { model, data: { name: dataFile, bytes: data } };
}

interface Whole {
  readonly graph: Graph;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly dataFile: string | null;
  /** Offsets of tensors in the external file, by name. */
  readonly places: ReadonlyMap<string, number>;
}

function encoded(whole: Whole): Uint8Array {
  const size = whole.graph.tensors.reduce(
    (sum, { name, bytes }) => sum + 256 + (whole.places.has(name) ? 0 : bytes.length),
    1 << 16,
  );
  const pbf = new PbfWriter(new Uint8Array(size));
  pbf.writeVarintField(1, IR_VERSION);
  pbf.writeStringField(2, 'headroom');
  pbf.writeMessage(7, writeGraph, whole);
  pbf.writeMessage(8, writeOperatorSet, { domain: '', version: OPERATOR_SET });
  if (hasContributed(whole.graph)) pbf.writeMessage(8, writeOperatorSet, { domain: CONTRIBUTED, version: 1 });
  return pbf.finish();
}

function writeGraph({ graph, inputs, outputs, dataFile, places }: Whole, pbf: PbfWriter): void {
  for (const operation of graph.operations) pbf.writeMessage(1, writeOperation, operation);
  pbf.writeStringField(2, 'encoder');
  for (const tensor of graph.tensors) {
    const at = places.get(tensor.name);
    if (at === undefined || dataFile === null) pbf.writeMessage(5, writeTensor, tensor);
    else pbf.writeMessage(5, writePlace, { tensor, at, dataFile });
  }
  for (const port of inputs) pbf.writeMessage(11, writePort, port);
  for (const port of outputs) pbf.writeMessage(12, writePort, port);
}

function writeOperatorSet({ domain, version }: { domain: string; version: number }, pbf: PbfWriter): void {
  pbf.writeStringField(1, domain);
  pbf.writeVarintField(2, version);
}

const isContributed = (kind: string): boolean => kind.startsWith(`${CONTRIBUTED}.`);

const hasContributed = ({ operations }: Graph): boolean =>
  operations.some(
    ({ kind, attributes }) =>
      isContributed(kind) ||
      Object.values(attributes).some(value => isBranch(value) && hasContributed(value.branch)),
  );

const isBranch = (value: Attribute): value is Branch => typeof value === 'object' && 'branch' in value;

function writeOperation({ kind, inputs, outputs, attributes }: Operation, pbf: PbfWriter): void {
  for (const input of inputs) pbf.writeStringField(1, input);
  for (const output of outputs) pbf.writeStringField(2, output);
  pbf.writeStringField(4, isContributed(kind) ? kind.slice(CONTRIBUTED.length + 1) : kind);
  for (const [name, value] of Object.entries(attributes)) {
    pbf.writeMessage(5, writeAttribute, { name, value });
  }
  if (isContributed(kind)) pbf.writeStringField(7, CONTRIBUTED);
}

function writeAttribute({ name, value }: { name: string; value: Attribute }, pbf: PbfWriter): void {
  pbf.writeStringField(1, name);
  if (typeof value === 'number') {
    pbf.writeVarintField(3, value);
    pbf.writeVarintField(20, TYPE.int);
  } else if (isBranch(value)) {
    pbf.writeMessage(6, writeBranch, value);
    pbf.writeVarintField(20, TYPE.graph);
  } else if ('float' in value) {
    pbf.writeFloatField(2, value.float);
    pbf.writeVarintField(20, TYPE.float);
  } else {
    for (const each of value) pbf.writeVarintField(8, each);
    pbf.writeVarintField(20, TYPE.ints);
  }
}

/** Its tensors are those of the enclosing graph. */
function writeBranch({ branch, output }: Branch, pbf: PbfWriter): void {
  for (const operation of branch.operations) pbf.writeMessage(1, writeOperation, operation);
  pbf.writeStringField(2, output.name);
  pbf.writeMessage(12, writePort, output);
}

function writeTensor(tensor: Tensor, pbf: PbfWriter): void {
  writeHead(tensor, pbf);
  pbf.writeBytesField(9, tensor.bytes);
}

interface Placed {
  readonly tensor: Tensor;
  readonly at: number;
  readonly dataFile: string;
}

function writePlace({ tensor, at, dataFile }: Placed, pbf: PbfWriter): void {
  writeHead(tensor, pbf);
  const where = { location: dataFile, offset: String(at), length: String(tensor.bytes.length) };
  for (const entry of Object.entries(where)) pbf.writeMessage(13, writeEntry, entry);
  pbf.writeVarintField(14, EXTERNAL);
}

function writeEntry([key, value]: [string, string], pbf: PbfWriter): void {
  pbf.writeStringField(1, key);
  pbf.writeStringField(2, value);
}

function writeHead({ name, element, shape }: Tensor, pbf: PbfWriter): void {
  for (const size of shape) pbf.writeVarintField(1, size);
  pbf.writeVarintField(2, ELEMENT[element]);
  pbf.writeStringField(8, name);
}

function writePort({ name, element, shape }: Port, pbf: PbfWriter): void {
  pbf.writeStringField(1, name);
  pbf.writeMessage(2, (_: null, type) => type.writeMessage(1, writeTensorType, { element, shape }), null);
}

function writeTensorType({ element, shape }: Omit<Port, 'name'>, pbf: PbfWriter): void {
  pbf.writeVarintField(1, ELEMENT[element]);
  if (shape !== null) pbf.writeMessage(2, writeShape, shape);
}

function writeShape(shape: NonNullable<Port['shape']>, pbf: PbfWriter): void {
  for (const size of shape) pbf.writeMessage(1, writeDimension, size);
}

function writeDimension(size: number | string, pbf: PbfWriter): void {
  if (typeof size === 'number') pbf.writeVarintField(1, size);
  else pbf.writeStringField(2, size);
}
