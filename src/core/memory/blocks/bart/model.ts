import type { Architecture, Batch, Model } from '../../architecture';
import { stated } from '../../configValues';
import type { Builder } from '../../modules';
import { linear } from '../../ops/linear';
import { add, scale } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import { bytesPer } from '../../tensor';
import { LOGITS } from '../../terms';
import { lookedUp } from '../encoderEmbeddings';
import { classLoss } from '../loss/crossEntropy';
import { shiftedRight } from '../t5/model';
import type { BartRates } from './layer';
import type { MakePlaces } from './positions';
import { buildBartStack, runBartStack } from './stack';
import type { StackDesign } from './stack';

/** Differences between members of the family. */
interface BartDesign extends StackDesign {
  readonly modelTypes: readonly string[];
  readonly source: string;
  readonly places: MakePlaces;
  /** A bias is added to the logits, which creates a copy (final_logits_bias). */
  readonly logitsBias: boolean;
  /** Default dropout probability of attention weights. */
  readonly attentionDropout?: number;
}

/** The default of BartConfig. */
const DROPOUT = 0.1;

/** An encoder–decoder architecture with position tables. */
export function bartArchitecture(design: BartDesign): Architecture {
  return {
    modelTypes: design.modelTypes,
    source: design.source,
    // Before, each model had its own attention classes.
    since: '4.53',
    hasLayers: true,
    heads: ['seq2seq'],
    missing: () => [],
    build: (builder, run) => build(builder, run, design),
  };
}

function ratesOf({ model, task }: MemoryRun, { attentionDropout = 0 }: BartDesign): BartRates {
  if (task !== 'train') return { hidden: 0, attention: 0, activation: 0 };
  return {
    hidden: stated(model, 'dropout', DROPOUT),
    attention: stated(model, 'attention_dropout', attentionDropout),
    activation: stated(model, 'activation_dropout', 0),
  };
}

function build(builder: Builder, run: MemoryRun, design: BartDesign): Model {
  const { model } = run;
  const rates = ratesOf(run, design);
  const words = builder.embedding('shared', model.vocabSize, model.hiddenSize);
  const inEncoder = design.places(builder, run);
  const encoder = buildBartStack(builder, run, design, { count: model.layers, isDecoder: false, rates });
  const inDecoder = design.places(builder, run);
  const count = stated(model, 'num_decoder_layers', model.layers);
  const decoder = buildBartStack(builder, run, design, { count, isDecoder: true, rates });
  if (design.logitsBias) builder.buffer(model.vocabSize * bytesPer(run.numbers.weightDtype));
  const embed = (ids: Batch['inputIds']) => (tape: Parameters<Model>[0]) =>
    scale(tape, lookedUp(tape, words, ids, run));
  return (tape, { inputIds, attentionMask: padding, labels, decoderIds }) =>
    tape.call([], () => {
      const ids = tape.name(labels ? shiftedRight(tape, labels) : (decoderIds ?? inputIds));
      const { tokens, targets } = run.batch;
      const encoding = {
        embed: embed(inputIds),
        places: placed(inEncoder, tokens, false),
        tokens,
        padding,
        encoded: null,
      };
      const hidden = tape.name(runBartStack(tape, run, encoder, encoding));
      const encoded = { hidden, tokens, padding };
      const decoding = {
        embed: embed(ids),
        places: placed(inDecoder, targets, true),
        tokens: targets,
        padding: null,
        encoded,
      };
      const decoded = tape.name(runBartStack(tape, run, decoder, decoding));
      return tape.during(LOGITS, () => {
        const product = linear(tape, decoded, words, null);
        if (!design.logitsBias) return classLoss(tape, tape.name(product), labels);
        const bias = tape.name(tape.empty(0, run.numbers.weightDtype));
        return classLoss(tape, tape.name(add(tape, product, bias)), labels);
      });
    });
}

const placed =
  (places: ReturnType<MakePlaces>, tokens: number, isDecoder: boolean) => (tape: Parameters<Model>[0]) =>
    places(tape, tokens, isDecoder);
