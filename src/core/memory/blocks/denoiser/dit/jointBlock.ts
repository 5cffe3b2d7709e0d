import type { Builder, Step } from '../../../modules';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { modulate } from '../timeEmbedding';
import { buildAdaNorm, plainNorm } from './adaNorm';
import type { AdaNorm } from './adaNorm';
import { buildJointAttention, buildSelfAttention } from './attention';
import type { AttentionCall, AttentionDesign } from './attention';
import type { Streams } from './chain';
import { gatedSum } from './gated';

/** A block over an image and a text that attend to each other. */
export interface JointDesign {
  readonly attention: AttentionDesign;
  readonly order: 'text first' | 'image first';
  /** Whether the layers for time-step vectors have a bias; null: the vectors are given. */
  readonly vectorBias: boolean | null;
  /**
   * Norms are in fp32, and the attention output passes the second norm before it is added to the input (AuraFlow).
   */
  readonly aura?: boolean;
  readonly mlp: (builder: Builder) => Step;
  /** The image has a second self-attention (SD 3.5). */
  readonly dual?: boolean;
  /** The text output of this block is unused. */
  readonly last?: boolean;
}

/** Inputs of all blocks in a forward pass: the time step for each stream. */
export interface BlockCall extends AttentionCall {
  readonly time: Tensor;
  readonly textTime: Tensor;
}

export type JointBlock = (tape: Tape, streams: Streams, call: BlockCall) => Streams;

const VECTORS = 6;
const VECTORS_OF_DUAL = 9;
const VECTORS_OF_LAST = 2;

/** JointTransformerBlock, FluxTransformerBlock, AuraFlowJointTransformerBlock and similar; streams: text, image. */
export function buildJointBlock(builder: Builder, design: JointDesign): JointBlock {
  const { attention, order, vectorBias, aura = false, mlp, dual = false, last = false } = design;
  const { width } = attention;
  const vectors = { width, bias: vectorBias ?? false, wide: aura, given: vectorBias === null };
  const norm = buildAdaNorm(builder, 'norm1.linear', { ...vectors, count: dual ? VECTORS_OF_DUAL : VECTORS });
  const textCount = last ? VECTORS_OF_LAST : VECTORS;
  const textNorm = buildAdaNorm(builder, 'norm1_context.linear', { ...vectors, count: textCount });
  const attend = buildJointAttention(builder, attention, order, !last);
  const lookAgain = dual ? buildSelfAttention(builder, attention) : null;
  const ofImage = { norm: plainNorm(builder, width, aura), mlp: mlp(builder), aura };
  const ofText = last
    ? null
    : { norm: plainNorm(builder, width, aura), mlp: mlp(builder), aura, again: null };
  return (tape, [text, image], call) => {
    if (!text || !image) return [];
    return tape.call([text, image], () => {
      const [normed = image, ...rest] = named(tape, norm, image, call.time);
      const [normedText = text, ...textRest] = named(tape, textNorm, text, call.textTime);
      const [seen = image, read = text] = attend(tape, normed, normedText, call).map(one => tape.name(one));
      const again = lookAgain && { look: lookAgain, call };
      const pixels = finished(tape, image, seen, rest, { ...ofImage, again });
      return ofText ? [finished(tape, text, read, textRest, ofText), pixels] : [pixels];
    });
  };
}

const named = (tape: Tape, norm: AdaNorm, x: Tensor, time: Tensor): readonly Tensor[] =>
  norm(tape, x, time).map(one => tape.name(one));

interface Finish {
  readonly norm: Step;
  readonly mlp: Step;
  readonly aura: boolean;
  /** A second self-attention of the image; null: none. */
  readonly again: {
    readonly look: ReturnType<typeof buildSelfAttention>;
    readonly call: AttentionCall;
  } | null;
}

/** Adds the attention output to the stream, and then the MLP's output. */
function finished(
  tape: Tape,
  x: Tensor,
  change: Tensor,
  vectors: readonly Tensor[],
  { norm, mlp, aura, again }: Finish,
): Tensor {
  const [gate = x, offset = x, factor = x, mlpGate = x, other = x, otherGate = x] = vectors;
  const states = tape.name(gatedSum(tape, x, gate, change));
  if (aura) {
    const normed = tape.rename(states, norm(tape, states));
    const scaled = tape.rename(normed, modulate(tape, normed, factor, offset));
    return tape.name(gatedSum(tape, x, mlpGate, tape.rename(scaled, mlp(tape, scaled))));
  }
  const attended = again
    ? tape.rename(states, gatedSum(tape, states, otherGate, tape.name(again.look(tape, other, again.call))))
    : states;
  const normed = tape.name(norm(tape, attended));
  const scaled = tape.rename(normed, modulate(tape, normed, factor, offset));
  return tape.name(gatedSum(tape, attended, mlpGate, tape.name(mlp(tape, scaled))));
}

/** AuraFlow's block over both streams concatenated. */
export function buildAuraSingle(builder: Builder, { attention, mlp }: JointDesign): JointBlock {
  const { width } = attention;
  const norm = buildAdaNorm(builder, 'norm1.linear', { width, count: VECTORS, bias: false, wide: true });
  const attend = buildSelfAttention(builder, attention);
  const finish = { norm: plainNorm(builder, width, true), mlp: mlp(builder), aura: true, again: null };
  return (tape, [x], call) => {
    if (!x) return [];
    return tape.call([x], () => {
      const [normed = x, ...rest] = named(tape, norm, x, call.time);
      return [finished(tape, x, tape.name(attend(tape, normed, call)), rest, finish)];
    });
  };
}
