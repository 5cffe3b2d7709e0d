import { ELEMENT, Graph } from './graph';
import type { Port } from './graph';
import { encodeModel, encodeModelWithData } from './encode';
import type { DataFile } from './encode';
import type { Storage, Weights } from './weights';

/** The fields of a BERT's config.json that its graph needs. */
export interface BertSizes {
  readonly hidden: number;
  readonly heads: number;
  readonly layers: number;
  readonly epsilon: number;
}

export interface Bert {
  readonly sizes: BertSizes;
  readonly weights: (name: string) => Weights;
  readonly storage: Storage;
}

const SHAPE = ['batch_size', 'sequence_length'] as const;
const INPUTS: readonly Port[] = ['input_ids', 'attention_mask', 'token_type_ids'].map(name => ({
  name,
  element: 'int64',
  shape: SHAPE,
}));
const OUTPUT = 'last_hidden_state';
/** Minus infinity in the mask: the lowest single-precision number. */
const LOWEST = -3.4028234663852886e38;

/** An encoder's graph with its inputs and output, as a file. */
export function encodedBert({ graph, sizes }: BertWriter): Uint8Array {
  return encodeModel(graph, INPUTS, [outputOf(sizes)]);
}

/** The same with its large tensors in an external file of this name. */
export function encodedBertWithData(
  { graph, sizes }: BertWriter,
  dataFile: string,
): { readonly model: Uint8Array; readonly data: DataFile } {
  return encodeModelWithData(graph, INPUTS, [outputOf(sizes)], dataFile);
}

const outputOf = ({ hidden }: BertSizes): Port => ({
  name: OUTPUT,
  element: 'float32',
  shape: [...SHAPE, hidden],
});

/** The encoder of a BERT in plain ONNX operators, which ONNX Runtime fuses itself if that is faster. */
export function bert(model: Bert): BertWriter {
  const writer = new BertWriter(model);
  writer.write();
  return writer;
}

/** Writes the operations of an encoder on `[batch, sequence, hidden]`. */
export class BertWriter {
  readonly graph = new Graph();
  readonly sizes: BertSizes;
  private mask = '';

  constructor(private readonly model: Bert) {
    this.sizes = model.sizes;
  }

  write(): void {
    let x = this.embeddings();
    this.mask = this.masked();
    for (let layer = 0; layer < this.sizes.layers; layer++) {
      const isLast = layer === this.sizes.layers - 1;
      x = this.layer(x, `encoder.layer.${layer}.`, isLast ? this.lastOutput() : undefined);
    }
  }

  /** The name of the last layer's output. */
  protected lastOutput(): string {
    return OUTPUT;
  }

  /** The input of the layers, from the sum of the embedding tables. */
  protected entered(x: string): string {
    return x;
  }

  /** The query, key and value heads, each written when it is called, then concatenated again. */
  protected heads(projections: readonly (() => string)[]): string {
    return this.plainHeads(this.graph, projections);
  }

  private embeddings(): string {
    const { graph } = this;
    const length = graph.add('Gather', [graph.add('Shape', ['input_ids']), graph.whole('one_i', 1)]);
    const places = graph.add('Range', [graph.whole('zero_i', 0), length, graph.whole('one_i', 1)]);
    const words = this.lookUp('input_ids', 'word_embeddings');
    const kinds = this.lookUp('token_type_ids', 'token_type_embeddings');
    const sum = graph.add('Add', [words, kinds]);
    const x = graph.add('Add', [sum, this.lookUp(places, 'position_embeddings')]);
    const output = this.sizes.layers === 0 ? this.lastOutput() : undefined;
    return this.norm(this.entered(x), 'embeddings.LayerNorm', output);
  }

  private lookUp(ids: string, table: string): string {
    const name = `embeddings.${table}.weight`;
    return this.graph.add('Gather', [
      this.model.storage.table(this.graph, name, this.model.weights(name)),
      ids,
    ]);
  }

  private masked(): string {
    const { graph } = this;
    const wanted = graph.add('Cast', ['attention_mask'], { to: ELEMENT.float32 });
    const wide = graph.add('Unsqueeze', [wanted, graph.wholes('axes', [1, 2])]);
    const unwanted = graph.add('Sub', [graph.number('one', 1), wide]);
    return graph.add('Mul', [unwanted, graph.number('lowest', LOWEST)]);
  }

  private layer(x: string, at: string, output?: string): string {
    const attended = this.attention(x, `${at}attention.`);
    const h = this.norm(this.graph.add('Add', [attended, x]), `${at}attention.output.LayerNorm`);
    const inner = this.gelu(this.linear(h, `${at}intermediate.dense`));
    const sum = this.graph.add('Add', [this.linear(inner, `${at}output.dense`), h]);
    return this.norm(sum, `${at}output.LayerNorm`, output);
  }

  private attention(x: string, at: string): string {
    const projections = ['query', 'key', 'value'].map(name => () => this.linear(x, `${at}self.${name}`));
    return this.linear(this.heads(projections), `${at}output.dense`);
  }

  protected plainHeads(graph: Graph, projections: readonly (() => string)[], output?: string): string {
    const { hidden, heads } = this.sizes;
    const split = graph.wholes('split', [0, 0, heads, hidden / heads]);
    const [q = '', k = '', v = ''] = projections.map(each => graph.add('Reshape', [each(), split]));
    const perHead = { perm: [0, 2, 1, 3] };
    const scores = graph.add('MatMul', [
      graph.add('Transpose', [q], perHead),
      graph.add('Transpose', [k], { perm: [0, 2, 3, 1] }),
    ]);
    const scaled = graph.add('Mul', [scores, graph.number('scale', (hidden / heads) ** -0.5)]);
    const shares = graph.add('Softmax', [graph.add('Add', [scaled, this.mask])], { axis: -1 });
    const values = graph.add('MatMul', [shares, graph.add('Transpose', [v], perHead)]);
    const rows = graph.add('Transpose', [values], perHead);
    return graph.add('Reshape', [rows, graph.wholes('join', [0, 0, hidden])], {}, output);
  }

  private gelu(h: string): string {
    const { graph } = this;
    const erf = graph.add('Erf', [graph.add('Div', [h, graph.number('sqrt2', Math.SQRT2)])]);
    const share = graph.add('Add', [erf, graph.number('one', 1)]);
    return graph.add('Mul', [graph.add('Mul', [h, share]), graph.number('half', 0.5)]);
  }

  private linear(x: string, name: string): string {
    const { graph } = this;
    const { storage, weights } = this.model;
    const { shape, data } = weights(`${name}.bias`);
    const bias = `${name}.bias`;
    const matrix = transposed(weights(`${name}.weight`));
    const weight = `${name}.weight`;
    if (storage.linear) {
      return storage.linear(graph, x, weight, matrix, graph.tensor(bias, 'float32', shape, data));
    }
    const product = storage.product(graph, x, weight, matrix);
    return graph.add('Add', [product, graph.tensor(bias, 'float32', shape, data)]);
  }

  private norm(x: string, name: string, output?: string): string {
    const inputs = ['weight', 'bias'].map(part => {
      const { shape, data } = this.model.weights(`${name}.${part}`);
      return this.graph.tensor(`${name}.${part}`, 'float32', shape, data);
    });
    const attributes = { axis: -1, epsilon: { float: this.sizes.epsilon } };
    return this.graph.add('LayerNormalization', [x, ...inputs], attributes, output);
  }
}

/** torch stores a layer's matrix as `[outputs, inputs]`. */
function transposed({ shape, data }: Weights): Weights {
  const [outputs = 0, inputs = 0] = shape;
  const turned = new Float32Array(data.length);
  for (let row = 0; row < outputs; row++) {
    for (let column = 0; column < inputs; column++) {
      turned[column * outputs + row] = data[row * inputs + column] ?? 0;
    }
  }
  return { shape: [inputs, outputs], data: turned };
}
