import type { Builder } from '../../../modules';
import { add, mean } from '../../../ops/pointwise';
import type { Tape } from '../../../tape';
import type { Element, Tensor } from '../../../tensor';
import { buildLayerNorm } from '../../norm';
import { buildFeedForward } from '../layers';
import { buildModulations, buildTimeEmbedding } from '../timeEmbedding';
import { buildSelfAttention } from './attention';
import type { AttentionCall, AttentionDesign } from './attention';
import { buildTextProjection } from './embed';
import { gatedSum } from './gated';

interface RefinerShape {
  readonly attention: AttentionDesign;
  readonly textSize: number;
  readonly layers: number;
  readonly batch: number;
}

/** HunyuanVideoIndividualTokenRefinerBlock: attention and MLP over norms, each with a gate from the pooled text. */
function buildBlock(builder: Builder, attention: AttentionDesign) {
  const { width } = attention;
  const norm = buildLayerNorm(builder, width);
  const attend = buildSelfAttention(builder, attention);
  const second = buildLayerNorm(builder, width);
  const mlp = buildFeedForward(builder, width);
  const gates = buildModulations(builder, 'norm_out.linear', { from: width, size: width, count: 2 });
  return (tape: Tape, x: Tensor, whole: Tensor, call: AttentionCall): Tensor =>
    tape.call([x, whole], () => {
      const attended = tape.name(attend(tape, tape.name(norm(tape, x)), call));
      const [gate = x, mlpGate = x] = gates(tape, whole).map(one => tape.name(one));
      const states = tape.name(gatedSum(tape, x, gate, attended));
      return gatedSum(tape, states, mlpGate, mlp(tape, second(tape, states)));
    });
}

/** HunyuanVideoTokenRefiner: text states as tokens (diffusers, transformer_hunyuan_video.py). */
export function buildRefiner(builder: Builder, shape: RefinerShape) {
  const { attention, textSize, layers, batch } = shape;
  const { width } = attention;
  const embedTime = buildTimeEmbedding(builder, width);
  const embedText = buildTextProjection(builder, textSize, width);
  const project = builder.linear({ name: 'proj_in', inputs: textSize, outputs: width, bias: true });
  const blocks = Array.from({ length: layers }, () => buildBlock(builder, attention));
  return (tape: Tape, text: Tensor, dtype: Element, call: AttentionCall): Tensor =>
    tape.call([text], () => {
      const pooled = mean(tape, text, text.elements / (batch * textSize));
      const time = embedTime(tape, batch, dtype);
      const whole = tape.name(add(tape, time, embedText(tape, pooled)));
      return blocks.reduce(
        (states, block) => tape.rename(states, block(tape, states, whole, call)),
        tape.name(project(tape, text)),
      );
    });
}
