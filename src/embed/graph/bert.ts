import { ELEMENT, Graph } from './graph';
import type { Port } from './graph';
import { encodeModel, encodeModelWithData } from './encode';
import type { DataFile } from './encode';
import type { Storage, Weights } from './weights';

/** What of a BERT's config.json its graph needs. */
export interface BertSizes {
  readonly hidden: number;
  readonly heads: number;
  readonly layers: number;
  readonly epsilon: number;
}

const SHAPE = ['batch_size', 'sequence_length'] as const;
const INPUTS: readonly Port[] = ['input_ids', 'attention_mask', 'token_type_ids'].map(name => ({
  name,
  element: 'int64',
  shape: SHAPE,
}));
const OUTPUT = 'last_hidden_state';
/** What stands for minus infinity in the mask: the least number of single precision. */
const LOWEST = -3.4028234663852886e38;

/** The encoder of a BERT in plain ONNX operators: ONNX Runtime fuses them itself where that is faster. */
export function bertModel(
  sizes: BertSizes,
  weights: (name: string) => Weights,
  storage: Storage,
): Uint8Array {
  const { graph, output } = written(sizes, weights, storage);
  return encodeModel(graph, INPUTS, [output]);
}

/** The same with its large tensors in a file beside it, of this name. */
export function bertModelWithData(
  sizes: BertSizes,
  weights: (name: string) => Weights,
  storage: Storage,
  beside: string,
): { readonly model: Uint8Array; readonly data: DataFile } {
  const { graph, output } = written(sizes, weights, storage);
  return encodeModelWithData(graph, INPUTS, [output], beside);
}

function written(sizes: BertSizes, weights: (name: string) => Weights, storage: Storage) {
  const writer = new BertWriter(sizes, weights, storage);
  writer.write();
  const output: Port = { name: OUTPUT, element: 'float32', shape: [...SHAPE, sizes.hidden] };
  return { graph: writer.graph, output };
}

class BertWriter {
  readonly graph = new Graph();

  constructor(
    private readonly sizes: BertSizes,
    private readonly weights: (name: string) => Weights,
    private readonly storage: Storage,
  ) {}

  write(): void {
    let x = this.embeddings();
    const mask = this.mask();
    for (let layer = 0; layer < this.sizes.layers; layer++) {
      const isLast = layer === this.sizes.layers - 1;
      x = this.layer(x, mask, `encoder.layer.${layer}.`, isLast ? OUTPUT : undefined);
    }
  }

  private embeddings(): string {
    const { graph } = this;
    const length = graph.add('Gather', [graph.add('Shape', ['input_ids']), graph.whole('one_i', 1)]);
    const places = graph.add('Range', [graph.whole('zero_i', 0), length, graph.whole('one_i', 1)]);
    const words = this.looked('input_ids', 'word_embeddings');
    const kinds = this.looked('token_type_ids', 'token_type_embeddings');
    const sum = graph.add('Add', [words, kinds]);
    const x = graph.add('Add', [sum, this.looked(places, 'position_embeddings')]);
    return this.norm(x, 'embeddings.LayerNorm', this.sizes.layers === 0 ? OUTPUT : undefined);
  }

  private looked(ids: string, table: string): string {
    const name = `embeddings.${table}.weight`;
    return this.graph.add('Gather', [this.storage.table(this.graph, name, this.weights(name)), ids]);
  }

  private mask(): string {
    const { graph } = this;
    const wanted = graph.add('Cast', ['attention_mask'], { to: ELEMENT.float32 });
    const wide = graph.add('Unsqueeze', [wanted, graph.wholes('axes', [1, 2])]);
    const unwanted = graph.add('Sub', [graph.number('one', 1), wide]);
    return graph.add('Mul', [unwanted, graph.number('lowest', LOWEST)]);
  }

  private layer(x: string, mask: string, at: string, output?: string): string {
    const attended = this.attention(x, mask, `${at}attention.`);
    const h = this.norm(this.graph.add('Add', [attended, x]), `${at}attention.output.LayerNorm`);
    const inner = this.gelu(this.linear(h, `${at}intermediate.dense`));
    const sum = this.graph.add('Add', [this.linear(inner, `${at}output.dense`), h]);
    return this.norm(sum, `${at}output.LayerNorm`, output);
  }

  private attention(x: string, mask: string, at: string): string {
    const { graph } = this;
    const { hidden, heads } = this.sizes;
    const split = graph.wholes('split', [0, 0, heads, hidden / heads]);
    const [q = '', k = '', v = ''] = ['query', 'key', 'value'].map(name =>
      graph.add('Reshape', [this.linear(x, `${at}self.${name}`), split]),
    );
    const perHead = { perm: [0, 2, 1, 3] };
    const scores = graph.add('MatMul', [
      graph.add('Transpose', [q], perHead),
      graph.add('Transpose', [k], { perm: [0, 2, 3, 1] }),
    ]);
    const scaled = graph.add('Mul', [scores, graph.number('scale', (hidden / heads) ** -0.5)]);
    const shares = graph.add('Softmax', [graph.add('Add', [scaled, mask])], { axis: -1 });
    const values = graph.add('MatMul', [shares, graph.add('Transpose', [v], perHead)]);
    const rows = graph.add('Transpose', [values], perHead);
    const joined = graph.add('Reshape', [rows, graph.wholes('join', [0, 0, hidden])]);
    return this.linear(joined, `${at}output.dense`);
  }

  private gelu(h: string): string {
    const { graph } = this;
    const erf = graph.add('Erf', [graph.add('Div', [h, graph.number('sqrt2', Math.SQRT2)])]);
    const share = graph.add('Add', [erf, graph.number('one', 1)]);
    return graph.add('Mul', [graph.add('Mul', [h, share]), graph.number('half', 0.5)]);
  }

  private linear(x: string, name: string): string {
    const bias = this.weights(`${name}.bias`);
    const matrix = transposed(this.weights(`${name}.weight`));
    const product = this.storage.product(this.graph, x, `${name}.weight`, matrix);
    return this.graph.add('Add', [
      product,
      this.graph.tensor(`${name}.bias`, 'float32', bias.shape, bias.data),
    ]);
  }

  private norm(x: string, name: string, output?: string): string {
    const inputs = ['weight', 'bias'].map(part => {
      const { shape, data } = this.weights(`${name}.${part}`);
      return this.graph.tensor(`${name}.${part}`, 'float32', shape, data);
    });
    const attributes = { axis: -1, epsilon: { float: this.sizes.epsilon } };
    return this.graph.add('LayerNormalization', [x, ...inputs], attributes, output);
  }
}

/** torch keeps a layer's matrix as `[outputs, inputs]`. */
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
