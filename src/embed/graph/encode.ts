import { PbfWriter } from 'pbf';
import { ELEMENT } from './graph';
import type { Attribute, Graph, Operation, Port, Tensor } from './graph';

const IR_VERSION = 8;
/** LayerNormalization came with operator set 17. */
const OPERATOR_SET = 17;
const TYPE = { float: 1, int: 2, ints: 7 } as const;

/** Field numbers are those of onnx.proto. Bytes are the same for the same graph. */
export function encodeModel(graph: Graph, inputs: readonly Port[], outputs: readonly Port[]): Uint8Array {
  const size = graph.tensors.reduce((sum, { bytes }) => sum + bytes.length + 256, 1 << 16);
  const pbf = new PbfWriter(new Uint8Array(size));
  pbf.writeVarintField(1, IR_VERSION);
  pbf.writeStringField(2, 'headroom');
  pbf.writeMessage(7, writeGraph, { graph, inputs, outputs });
  pbf.writeMessage(8, writeOperatorSet, OPERATOR_SET);
  return pbf.finish();
}

interface Whole {
  readonly graph: Graph;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

function writeGraph({ graph, inputs, outputs }: Whole, pbf: PbfWriter): void {
  for (const operation of graph.operations) pbf.writeMessage(1, writeOperation, operation);
  pbf.writeStringField(2, 'encoder');
  for (const tensor of graph.tensors) pbf.writeMessage(5, writeTensor, tensor);
  for (const port of inputs) pbf.writeMessage(11, writePort, port);
  for (const port of outputs) pbf.writeMessage(12, writePort, port);
}

function writeOperatorSet(version: number, pbf: PbfWriter): void {
  pbf.writeStringField(1, '');
  pbf.writeVarintField(2, version);
}

function writeOperation({ kind, inputs, outputs, attributes }: Operation, pbf: PbfWriter): void {
  for (const input of inputs) pbf.writeStringField(1, input);
  for (const output of outputs) pbf.writeStringField(2, output);
  pbf.writeStringField(4, kind);
  for (const [name, value] of Object.entries(attributes)) {
    pbf.writeMessage(5, writeAttribute, { name, value });
  }
}

function writeAttribute({ name, value }: { name: string; value: Attribute }, pbf: PbfWriter): void {
  pbf.writeStringField(1, name);
  if (typeof value === 'number') {
    pbf.writeVarintField(3, value);
    pbf.writeVarintField(20, TYPE.int);
  } else if ('float' in value) {
    pbf.writeFloatField(2, value.float);
    pbf.writeVarintField(20, TYPE.float);
  } else {
    for (const each of value) pbf.writeVarintField(8, each);
    pbf.writeVarintField(20, TYPE.ints);
  }
}

function writeTensor({ name, element, shape, bytes }: Tensor, pbf: PbfWriter): void {
  for (const size of shape) pbf.writeVarintField(1, size);
  pbf.writeVarintField(2, ELEMENT[element]);
  pbf.writeStringField(8, name);
  pbf.writeBytesField(9, bytes);
}

function writePort({ name, element, shape }: Port, pbf: PbfWriter): void {
  pbf.writeStringField(1, name);
  pbf.writeMessage(2, (_: null, type) => type.writeMessage(1, writeTensorType, { element, shape }), null);
}

function writeTensorType({ element, shape }: Omit<Port, 'name'>, pbf: PbfWriter): void {
  pbf.writeVarintField(1, ELEMENT[element]);
  pbf.writeMessage(2, writeShape, shape);
}

function writeShape(shape: Port['shape'], pbf: PbfWriter): void {
  for (const size of shape) pbf.writeMessage(1, writeDimension, size);
}

function writeDimension(size: number | string, pbf: PbfWriter): void {
  if (typeof size === 'number') pbf.writeVarintField(1, size);
  else pbf.writeStringField(2, size);
}
