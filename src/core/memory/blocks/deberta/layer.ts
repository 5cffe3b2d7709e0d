import type { ModelFacts } from '../../../models/model';
import type { Builder, Linear } from '../../modules';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { activationNamed } from '../activation';
import { withResidual } from '../encoderLayer';
import { buildLayerNorm } from '../norm';
import type { DebertaContext } from './attention';

/** One layer's forward pass. */
export type DebertaLayer = (tape: Tape, x: Tensor, context: DebertaContext) => Tensor;

/** Creates attention's parameters. */
export type MakeAttention = (builder: Builder, model: ModelFacts) => DebertaLayer;

/** A DebertaV2Layer: BERT's with a different attention. */
export function buildDebertaLayer(builder: Builder, model: ModelFacts, make: MakeAttention): DebertaLayer {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const dense = (inputs: number, outputs: number): Linear =>
    builder.linear({ name: 'dense', inputs, outputs, bias: true });
  const attention = make(builder, model);
  const output = dense(hidden, hidden);
  const attentionNorm = buildLayerNorm(builder, hidden);
  const [up, down] = [dense(hidden, inner), dense(inner, hidden)];
  const norm = buildLayerNorm(builder, hidden);
  const act = activationNamed(model.activation);
  return (tape, x, context) =>
    tape.call([x], () => {
      const attended = tape.name(
        tape.call([x], () => {
          const mixed = tape.name(attention(tape, x, context));
          return tape.call([mixed, x], () =>
            withResidual(tape, output(tape, mixed), x, attentionNorm, context),
          );
        }),
      );
      const wide = tape.name(
        tape.call([attended], () => {
          const widened = tape.name(up(tape, attended));
          return tape.rename(widened, act(tape, widened));
        }),
      );
      return tape.call([wide, attended], () => withResidual(tape, down(tape, wide), attended, norm, context));
    });
}
