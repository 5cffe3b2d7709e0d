import type { Builder } from '../../../modules';
import { cat, slice } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildFeedForward, fusedRmsNorm } from '../layers';
import type { AttentionDesign } from './attention';
import { buildChain, runChain } from './chain';
import type { Chain } from './chain';
import { buildJointBlock } from './jointBlock';
import type { BlockCall, JointBlock } from './jointBlock';
import { buildSingleBlock } from './singleBlock';

/** Blocks over two streams, then blocks over both concatenated. */
interface Rowed {
  readonly joint: Chain<JointBlock>;
  readonly single: Chain<JointBlock>;
}

/** Common design of FLUX's blocks: torch's RMSNorm on heads, rotation after concatenation. */
export const fluxAttention = (heads: number, headDim: number): AttentionDesign => ({
  width: heads * headDim,
  heads,
  headDim,
  bias: true,
  outBias: true,
  norm: fusedRmsNorm,
  byHead: false,
  turns: 'together',
});

/**
 * FluxTransformerBlock and FluxSingleTransformerBlock, with their numbers; `vectorBias` null: their vectors are
 * given.
 */
export function buildFluxBlocks(
  builder: Builder,
  run: MemoryRun,
  attention: AttentionDesign,
  { layers, singles, vectorBias }: { layers: number; singles: number; vectorBias: boolean | null },
): Rowed {
  const { width } = attention;
  const mlp = (inner: Builder) => buildFeedForward(inner, width);
  const joint = buildChain(builder, run, layers, () =>
    buildJointBlock(builder, { attention, order: 'text first', vectorBias, mlp }),
  );
  const single = buildChain(builder, run, singles, () =>
    buildSingleBlock(builder, { attention, inner: 4 * width, vectorBias }),
  );
  return { joint, single };
}

/** Runs them and returns the image's output. `text` and `image` are named in the running function. */
export function runRowed(
  tape: Tape,
  [text, image]: readonly [Tensor, Tensor],
  { joint, single }: Rowed,
  calls: { readonly joint: BlockCall; readonly single: BlockCall },
): Tensor {
  const stepOf = (call: BlockCall) => ({
    step: (block: JointBlock, states: readonly Tensor[]) => block(tape, states, call),
    held: [call.time],
  });
  const size = image.elements;
  const [words = text, pixels = image] = runChain(tape, [text, image], joint, stepOf(calls.joint));
  const both = tape.rename(words, cat(tape, words, pixels));
  tape.drop(pixels);
  const [states = both] = runChain(tape, [both], single, stepOf(calls.single));
  return tape.rename(states, slice(tape, states, size));
}
