import type { Builder } from '../../modules';
import { allGather, reduceScatter } from '../../ops/collective';
import { columnLinear } from '../../ops/megatron';
import { add } from '../../ops/pointwise';
import { cat } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { LOGITS } from '../../terms';
import type { Parameter, Tensor } from '../../tensor';
import { lossOf, outputOf } from './head';
import type { MegatronHead } from './head';
import { norm, weights } from './layer';
import { embedded, transformerLayer } from './model';

/** From hidden states and the tokens after them to hidden states of the next depth. */
type Depth = (tape: Tape, hidden: Tensor, ids: Tensor) => Tensor;

/** Depths of multi-token prediction (`--mtp-num-layers`); 0: none. */
export const depthsOf = ({ model }: MemoryRun): number => Number(model.extra['mtp_layers'] ?? 0);

/**
 * The language head with multi-token prediction: each depth is one more layer and one more set of logits through the same
 * output layer. A last pipeline stage has a word table of its own for it
 * (Megatron-LM d98e8a6, core/transformer/multi_token_prediction.py, process_mtp_loss).
 */
export function nextTokenHead(builder: Builder, run: MemoryRun, table: Parameter | null): MegatronHead {
  const { vocabSize, hiddenSize } = run.model;
  const words = table ?? builder.embedding('embed_tokens', vocabSize, hiddenSize);
  const depths = Array.from({ length: depthsOf(run) }, () => depthOf(builder, run, words));
  const last = norm(builder, run);
  const output = outputOf(builder, run, table);
  return (tape, hidden, labels) =>
    tape.call([hidden], () => {
      let states = hidden;
      const found = depths.map(depth => {
        states = tape.name(labels ? depth(tape, states, labels) : states);
        return states;
      });
      const main = tape.name(last(tape, hidden));
      return tape.during(LOGITS, () =>
        found.reduce(
          (total, one) => add(tape, tape.name(lossOf(tape, one, output, labels, run)), total),
          lossOf(tape, main, output, labels, run),
        ),
      );
    });
}

/** MultiTokenPredictionLayer: both inputs normalized, joined and projected, then a layer and a norm. */
function depthOf(builder: Builder, run: MemoryRun, words: Parameter): Depth {
  const { hiddenSize } = run.model;
  const { sequence = 1, tensor = 1 } = run.ranks;
  const [ofWords, ofStates, last] = [norm(builder, run), norm(builder, run), norm(builder, run)];
  // Its outputs are shared by tensor ranks and gathered at once.
  const project = weights(builder, [hiddenSize / tensor, 2 * hiddenSize], false);
  const layer = transformerLayer(builder, run);
  return (tape, hidden, ids) =>
    tape.call([hidden], () => {
      const next = tape.name(ofWords(tape, tape.name(embedded(tape, ids, words, [], run))));
      const both = tape.name(cat(tape, next, tape.name(ofStates(tape, hidden))));
      const part = tape.name(columnLinear(tape, both, project, run));
      const whole = tape.name(allGather(tape, part, tensor));
      return last(tape, layer(tape, reduceScatter(tape, whole, sequence)));
    });
}
