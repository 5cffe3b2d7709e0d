import { BertWriter } from './bert';
import type { Bert } from './bert';
import { CONTRIBUTED, Graph } from './graph';

/**
 * The same encoder, optimized for a CPU: rows of tokens, so that a bias is fused with its product, and attention
 * without a score matrix (MultiHeadAttention's flash form, which accepts no mask) if no text is padded and all have
 * `unmaskedFrom` tokens.
 */
export function flatBert(model: Bert, unmaskedFrom: number): BertWriter {
  const writer = new FlatBertWriter(model, unmaskedFrom);
  writer.write();
  return writer;
}

const ROWS = 'last_rows';

class FlatBertWriter extends BertWriter {
  private wide = '';
  private isUnmasked = '';

  constructor(
    model: Bert,
    private readonly unmaskedFrom: number,
  ) {
    super(model);
  }

  override write(): void {
    const { graph, sizes } = this;
    const hidden = graph.wholes('hidden', [sizes.hidden]);
    this.wide = graph.add('Concat', [graph.add('Shape', ['input_ids']), hidden], { axis: 0 });
    this.isUnmasked = this.condition();
    super.write();
    graph.add('Reshape', [ROWS, this.wide], {}, super.lastOutput());
  }

  protected override lastOutput(): string {
    return ROWS;
  }

  protected override entered(x: string): string {
    return this.flat(x);
  }

  protected override heads(projections: readonly (() => string)[]): string {
    const wide = projections.map(each => this.graph.add('Reshape', [each(), this.wide]));
    const [unmasked, masked] = [new Graph(this.graph), new Graph(this.graph)];
    const output = `heads_${this.graph.operations.length}`;
    const attributes = { num_heads: this.sizes.heads };
    unmasked.add(`${CONTRIBUTED}.MultiHeadAttention`, wide, attributes, `${output}_unmasked`);
    this.plainHeads(
      masked,
      wide.map(each => () => each),
      `${output}_masked`,
    );
    const port = (name: string) => ({ name: `${output}_${name}`, element: 'float32' as const, shape: null });
    const branches = {
      then_branch: { branch: unmasked, output: port('unmasked') },
      else_branch: { branch: masked, output: port('masked') },
    };
    return this.flat(this.graph.add('If', [this.isUnmasked], branches, output));
  }

  private flat(x: string): string {
    return this.graph.add('Reshape', [x, this.graph.wholes('flat', [-1, this.sizes.hidden])]);
  }

  private condition(): string {
    const { graph } = this;
    const least = graph.add('ReduceMin', ['attention_mask'], { keepdims: 0 });
    const isFull = graph.add('Greater', [least, graph.whole('zero_i', 0)]);
    const length = graph.add('Gather', [graph.add('Shape', ['input_ids']), graph.whole('one_i', 1)]);
    const isLong = graph.add('Greater', [length, graph.whole('too_short', this.unmaskedFrom - 1)]);
    return graph.add('And', [isFull, isLong]);
  }
}
