import type { ModelFacts } from '../../../models/model';
import type { Builder, Linear } from '../../modules';
import { scale } from '../../ops/pointwise';
import { copy, pick } from '../../ops/shape';
import type { Tensor, Parameter } from '../../tensor';
import { attend, viewAsHeads } from '../attend';
import { cached } from '../bart/attention';
import type { BartAttention } from '../bart/attention';
import type { Architecture, Model } from '../../architecture';
import { stated } from '../../configValues';
import { linear } from '../../ops/linear';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { LOGITS } from '../../terms';
import type { BartRates } from '../bart/layer';
import { buildBartStack, contextOf, runBartStack, step } from '../bart/stack';
import type { BartStack, StackDesign } from '../bart/stack';
import { lookedUp } from '../encoderEmbeddings';
import { classLoss } from '../loss/crossEntropy';
import { shiftedRight } from '../t5/model';
import { buildStem, sizesOf } from './stem';
import type { Stem } from './stem';

/** WhisperAttention: queries are scaled separately, all three are made contiguous, and keys have no bias. */
function buildWhisperAttention(builder: Builder, { hiddenSize, heads }: ModelFacts): BartAttention {
  const make = (name: string, bias = true): Linear =>
    builder.linear({ name, inputs: hiddenSize, outputs: hiddenSize, bias });
  const [toKey, toValue, toQuery, output] = [
    make('k_proj', false),
    make('v_proj'),
    make('q_proj'),
    make('out_proj'),
  ];
  return (tape, x, context) =>
    tape.call([x], () => {
      const from = context.source ?? x;
      const ordered = (states: Tensor): Tensor =>
        tape.name(copy(tape, viewAsHeads(tape, states, heads, true)));
      const query = ordered(scale(tape, toQuery(tape, x)));
      const [key, value] = cached(tape, [ordered(toKey(tape, from)), ordered(toValue(tape, from))], context);
      const [mixed = query, ...weights] = attend(tape, { query, key, value, byHead: 'all' }, context);
      for (const kept of weights) tape.name(kept);
      return [output(tape, tape.name(mixed)), ...weights];
    });
}

const DESIGN: StackDesign = {
  norms: 'before',
  embedNorm: false,
  finalNorm: true,
  attention: buildWhisperAttention,
};

/** WhisperConfig has no dropout by default. */
function ratesOf({ model, task }: MemoryRun): BartRates {
  const rate = (name: string): number => (task === 'train' ? stated(model, name, 0) : 0);
  return {
    hidden: rate('dropout'),
    attention: rate('attention_dropout'),
    activation: rate('activation_dropout'),
  };
}

/** WhisperForConditionalGeneration. */
export function buildWhisper(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const { frozenParts = [] } = run.training;
  const rates = ratesOf(run);
  const encoderPart = <Part>(make: () => Part): Part =>
    frozenParts.includes('encoder') ? builder.frozen(make) : make();
  const { stem, encoder } = encoderPart(() => ({
    stem: buildStem(builder, run),
    encoder: buildBartStack(builder, run, DESIGN, { count: model.layers, isDecoder: false, rates }),
  }));
  const words = builder.embedding('embed_tokens', model.vocabSize, model.hiddenSize);
  const table = builder.embedding('embed_positions', model.maxPositions ?? 0, model.hiddenSize);
  const count = stated(model, 'num_decoder_layers', model.layers);
  const decoder = buildBartStack(builder, run, DESIGN, { count, isDecoder: true, rates });
  return (tape, { inputIds, labels, decoderIds }) =>
    tape.call([], () => {
      const ids = tape.name(labels ? shiftedRight(tape, labels) : (decoderIds ?? inputIds));
      const hidden = tape.name(encode(tape, inputIds, { stem, encoder }, run));
      const decoding = {
        embed: (on: Tape) => lookedUp(on, words, ids, run),
        places: (on: Tape) => placed(on, table, run),
        tokens: run.batch.targets,
        padding: null,
        maskless: true,
        encoded: { hidden, tokens: run.batch.tokens, padding: null },
      };
      const decoded = tape.name(runBartStack(tape, run, decoder, decoding));
      return tape.during(LOGITS, () =>
        classLoss(tape, tape.name(linear(tape, decoded, words, null)), labels),
      );
    });
}

/** WhisperPositionalEmbedding: rows of the weight itself, for each row of the batch. */
function placed(tape: Tape, table: Parameter, { batch: { rows: batch, targets }, model }: MemoryRun): Tensor {
  const range = tape.done(tape.empty(targets, 'int64'), tape.empty(targets, 'int64'));
  const ids = tape.name(tape.done(tape.empty(batch * targets, 'int64'), range));
  return pick(tape, tape.view(table, table.elements, table.node), ids, batch * targets * model.hiddenSize);
}

interface Encoding {
  readonly stem: Stem;
  readonly encoder: BartStack;
}

/** WhisperEncoder.forward */
function encode(tape: Tape, features: Tensor, { stem, encoder }: Encoding, run: MemoryRun): Tensor {
  const { rates } = encoder;
  return tape.call([], () => {
    let states = stem(tape, features, rates.hidden);
    const attending = {
      embedded: states,
      padding: null,
      queries: run.batch.tokens,
      keys: run.batch.tokens,
      isDecoder: false,
      source: null,
      rates,
    };
    const contexts = { self: contextOf(tape, run, attending), cross: null, rates };
    for (const { part, times } of encoder.layers) {
      states = tape.repeat(times, states, [x => step(tape, x, run, part, contexts)]);
    }
    return encoder.finalNorm ? tape.rename(states, encoder.finalNorm(tape, states)) : states;
  });
}

/** The input length of a row, and the most tokens it generates: 30 seconds as a padded spectrogram. */
export const spectrogramInput: NonNullable<Architecture['audioInput']> = model => {
  const { bands, frames } = sizesOf({ model });
  return {
    kind: 'spectrogram',
    values: bands * 2 * frames,
    tokens: frames,
    targets: model.maxPositions ?? 0,
  };
};
