import type { Batch, Model } from '../../architecture';
import { flag, stated } from '../../configValues';
import type { Builder, Linear, Repeated, Step } from '../../modules';
import { to } from '../../ops/cast';
import { ctcLoss, logSoftmax } from '../../ops/loss';
import { add, dropout, mean } from '../../ops/pointwise';
import { overwritten } from '../../ops/select';
import { copy } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { LOGITS } from '../../terms';
import type { BartLayer, BartRates } from '../bart/layer';
import { contextOf, step } from '../bart/stack';
import { meanPooling } from '../loss/contrastive';
import { classLoss } from '../loss/crossEntropy';
import { buildLayerNorm } from '../norm';
import { buildFeatures, buildPositions } from './features';
import type { Features } from './features';
import { buildWav2VecLayer } from './layer';
import { filtersOf, lettersOf } from './shape';

/** The default of Wav2Vec2Config. */
const DROPOUT = 0.1;

function ratesOf({
  model,
  task,
}: MemoryRun): BartRates & { readonly projected: number; readonly final: number } {
  const rate = (name: string, usual = DROPOUT): number => (task === 'train' ? stated(model, name, usual) : 0);
  return {
    hidden: rate('hidden_dropout'),
    attention: rate('attention_dropout'),
    activation: rate('activation_dropout'),
    projected: rate('feat_proj_dropout', 0),
    final: rate('final_dropout'),
  };
}

interface Parts {
  readonly features: Features;
  readonly norm: Step;
  readonly project: Linear;
  readonly positions: Step;
  readonly encoderNorm: Step;
  readonly layers: readonly Repeated<BartLayer>[];
  readonly isStable: boolean;
  readonly rates: ReturnType<typeof ratesOf>;
}

/** Probability that a masked span begins at a frame (SpecAugment). */
const MASKED = 0.05;

/** Wav2Vec2ForCTC, and the bare encoder. */
export function buildWav2Vec(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const { frozenParts = [] } = run.training;
  const { hiddenSize: hidden } = model;
  const isStable = flag(model, 'do_stable_layer_norm');
  const width = filtersOf(model).at(-1)?.outputs ?? hidden;
  const hasMask = stated(model, 'mask_time_prob', MASKED) > 0;
  const isMasked = hasMask && run.task === 'train' && model.extra['apply_spec_augment'] !== false;
  if (hasMask) builder.vector(hidden);
  const makeFeatures = (): Features => buildFeatures(builder, run);
  const features = frozenParts.includes('convolutions') ? builder.frozen(makeFeatures) : makeFeatures();
  const norm = buildLayerNorm(builder, width);
  const project = builder.linear({ name: 'projection', inputs: width, outputs: hidden, bias: true });
  const positions = buildPositions(builder, run);
  const encoderNorm = buildLayerNorm(builder, hidden);
  const make = (): BartLayer => builder.layer(() => buildWav2VecLayer(builder, model, isStable));
  const layers = builder.repeat(model.layers, make);
  const parts = { features, norm, project, positions, encoderNorm, layers, isStable, rates: ratesOf(run) };
  const head = buildHead(builder, run, parts.rates.final);
  return (tape, batch) => {
    const [hidden, kept] = tape.call([batch.inputIds], () => {
      const [projected, extracted] = projectedOf(tape, batch, parts);
      const masked = isMasked ? tape.rename(projected, masking(tape, projected, run)) : projected;
      return [encode(tape, masked, batch, parts, run), extracted] as const;
    });
    return tape.call([hidden, kept], () => head(tape, hidden, batch));
  };
}

/** Wav2Vec2FeatureEncoder and Wav2Vec2FeatureProjection. */
function projectedOf(
  tape: Tape,
  { inputIds }: Batch,
  { features, norm, project, rates }: Parts,
): [Tensor, Tensor] {
  const extracted = tape.name(features(tape, inputIds));
  const [states, normed] = tape.call([extracted], () => {
    const made = tape.name(norm(tape, extracted));
    const projected = tape.name(project(tape, made));
    return [tape.rename(projected, dropout(tape, projected, rates.projected)), made] as const;
  });
  return [tape.name(states), tape.rename(extracted, normed)];
}

/** Replaces spans of frames with one learned vector, in place. */
function masking(tape: Tape, x: Tensor, { batch: { rows: batch, tokens } }: MemoryRun): Tensor {
  return overwritten(tape, x, tape.empty(batch * tokens, 'bool'));
}

/** Wav2Vec2Encoder.forward */
function encode(tape: Tape, input: Tensor, { attentionMask }: Batch, parts: Parts, run: MemoryRun): Tensor {
  const { positions, encoderNorm, layers, isStable, rates } = parts;
  return tape.call([], () => {
    let states = tape.name(tape.view(input, input.elements, input.node, input.slot));
    const padding = attentionMask && tape.name(tape.empty(run.batch.rows * run.batch.tokens, 'bool'));
    if (padding) {
      const wide = tape.name(tape.empty(states.elements, 'bool'));
      states = tape.rename(states, overwritten(tape, states, tape.like(wide)));
    }
    const self = contextOf(tape, run, {
      embedded: states,
      padding,
      queries: run.batch.tokens,
      keys: run.batch.tokens,
      isDecoder: false,
      source: null,
      rates,
    });
    const places = tape.name(positions(tape, states));
    states = tape.rename(states, add(tape, states, places));
    if (!isStable) states = tape.rename(states, encoderNorm(tape, states));
    states = tape.rename(states, dropout(tape, states, rates.hidden));
    const contexts = { self, cross: null, rates };
    for (const { part, times } of layers) {
      states = tape.repeat(times, states, [x => step(tape, x, run, part, contexts)]);
    }
    return isStable ? tape.rename(states, encoderNorm(tape, states)) : states;
  });
}

type Head = (tape: Tape, hidden: Tensor, batch: Batch) => Tensor;

/** Characters per frame, a class per row, or a separate loss over the frames. */
function buildHead(builder: Builder, run: MemoryRun, rate: number): Head {
  const { model, head } = run;
  const { hiddenSize: inputs } = model;
  if (head === 'ctc') {
    const letters = builder.linear({ name: 'lm_head', inputs, outputs: lettersOf(model), bias: true });
    return (tape, hidden, { labels }) => {
      const dropped = tape.name(dropout(tape, hidden, rate));
      return tape.during(LOGITS, () => transcribed(tape, tape.name(letters(tape, dropped)), labels, run));
    };
  }
  if (head !== 'sequence-classification') {
    return (tape, hidden) => (run.task === 'train' ? meanPooling(tape, run, hidden) : hidden);
  }
  const width = stated(model, 'classifier_proj_size', 256);
  const projector = builder.linear({ name: 'projector', inputs, outputs: width, bias: true });
  const outputs = stated(model, 'num_labels', 2);
  const classifier = builder.linear({ name: 'classifier', inputs: width, outputs, bias: true });
  return (tape, hidden, { labels }) => {
    const projected = tape.name(projector(tape, hidden));
    const pooled = tape.name(mean(tape, projected, run.batch.tokens));
    return tape.during(LOGITS, () => classLoss(tape, tape.name(classifier(tape, pooled)), labels));
  };
}

/** ForCTC: log-probabilities in fp32. */
function transcribed(tape: Tape, logits: Tensor, labels: Tensor | null, run: MemoryRun): Tensor {
  if (labels === null) return copy(tape, logits);
  const { rows: batch, tokens: frames, targets } = run.batch;
  const wide = to(tape, logits, 'fp32');
  const logProbabilities = tape.name(logSoftmax(tape, wide));
  return ctcLoss(tape, logProbabilities, { batch, frames, labels: targets });
}
