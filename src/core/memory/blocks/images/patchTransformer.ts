import { plainAttention } from '../attend';
import { stated } from '../../configValues';
import type { Repeated, Step } from '../../modules';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { checkpoint } from '../../transforms/checkpoint';
import type { AttentionContext } from '../attention';
import type { Layer } from '../layers';

/** Full attention over the tokens of each image. */
export function imageContext(run: MemoryRun, tokens: number): AttentionContext {
  const { model, behavior, task } = run;
  return {
    ...plainAttention(run, tokens),
    layers: 'full',
    windowed: false,
    window: null,
    begins: true,
    rotation: null,
    softmax: behavior.formerCode ? 'own' : 'fp32',
    dropout: task === 'train' ? stated(model, 'attention_probs_dropout_prob', 0) : 0,
  };
}

/** The part after the embeddings. */
interface PatchEncoder {
  readonly layers: readonly Repeated<Layer>[];
  /** Applied after the last layer. */
  readonly norm: Step | null;
}

/** All layers in order, each checkpointed if the run says so. */
export function encodePatches(
  tape: Tape,
  embedded: Tensor,
  { layers, norm }: PatchEncoder,
  run: MemoryRun,
  context: AttentionContext,
): Tensor {
  return tape.call([embedded], () => {
    let states = tape.name(embedded);
    for (const { part, times } of layers) {
      const body = (x: Tensor): Tensor => part(tape, x, context);
      const { checkpointing: kind } = run.recompute;
      states = tape.repeat(times, states, [x => checkpoint(tape, x, { kind, captured: [], body })]);
    }
    return norm ? norm(tape, states) : states;
  });
}
