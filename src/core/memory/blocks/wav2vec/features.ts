import type { Builder, Step } from '../../modules';
import { convolution, convolutionBy } from '../../ops/convolution';
import { groupNorm, weightNorm } from '../../ops/norm';
import { activation } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { flag } from '../../configValues';
import { buildLayerNorm } from '../norm';
import { filtered, filtersOf, positionsOf } from './shape';
import { slice } from '../../ops/shape';

/** From a waveform to features: Wav2Vec2FeatureEncoder. */
export type Features = (tape: Tape, waveform: Tensor) => Tensor;

/**
 * Convolutions over time with GELU: one GroupNorm after the first, or a LayerNorm after each. If they are trained,
 * the waveform also requires a gradient.
 */
export function buildFeatures(builder: Builder, run: MemoryRun): Features {
  const { model, task } = run;
  const { rows: batch, audio } = run.batch;
  const { frozenParts = [], lora } = run.training;
  const isNormed = model.extra['feat_extract_norm'] === 'layer';
  const bias = flag(model, 'conv_bias');
  let length = audio?.values ?? 0;
  const steps = filtersOf(model).flatMap((filter, i): Step[] => {
    const { inputs, outputs, size } = filter;
    length = filtered(length, filter);
    const elements = batch * outputs * length;
    const kernel = {
      weight: builder.kernel([outputs, inputs, size]),
      bias: bias ? builder.vector(outputs) : null,
    };
    const norm = isNormed
      ? buildLayerNorm(builder, outputs)
      : i === 0
        ? buildGroupNorm(builder, batch, outputs)
        : null;
    const convolve: Step = (tape, x) => convolution(tape, x, kernel, elements);
    return [
      (tape, x) =>
        tape.call([x], () => {
          let states = tape.name(convolve(tape, x));
          if (norm) states = tape.rename(states, norm(tape, states));
          return activation(tape, states);
        }),
    ];
  });
  const wants = task === 'train' && lora === null && !frozenParts.includes('convolutions');
  return (tape, waveform) =>
    tape.call([waveform], () => {
      const begun = wants ? trained(tape, waveform) : tape.view(waveform, waveform.elements);
      return tape.through(
        tape.name(begun),
        steps.map(step => x => step(tape, x)),
      );
    });
}

/** `hidden_states.requires_grad = True` */
function trained(tape: Tape, waveform: Tensor): Tensor {
  const leaf = tape.leaf(waveform);
  tape.graph?.holdLeaf(leaf);
  return leaf;
}

/** Normalizes each map of each row separately. */
function buildGroupNorm(builder: Builder, batch: number, maps: number): Step {
  const norm = { weight: builder.vector(maps), bias: builder.vector(maps), groups: batch * maps };
  return (tape, x) => groupNorm(tape, x, norm);
}

/** Wav2Vec2PositionalConvEmbedding: one wide convolution with a normalized weight; cuts off the last frame. */
export function buildPositions(builder: Builder, { model, batch: { rows: batch, tokens } }: MemoryRun): Step {
  const { hiddenSize: hidden } = model;
  const { size, groups } = positionsOf(model);
  const bias = builder.vector(hidden);
  const lengths = builder.kernel([1, 1, size]);
  const directions = builder.kernel([hidden, hidden / groups, size]);
  const more = size % 2 === 0 ? 1 : 0;
  return (tape, x) =>
    tape.call([x], () => {
      const weight = weightNorm(tape, directions, lengths);
      const convolved = convolutionBy(tape, x, { weight, bias }, batch * hidden * (tokens + more));
      const states = tape.name(more > 0 ? slice(tape, convolved, x.elements) : convolved);
      return activation(tape, states);
    });
}
