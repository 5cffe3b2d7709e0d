import type { ModelFacts } from '../../models/model';
import type { Batch } from '../architecture';
import type { Builder, Step } from '../modules';
import { to } from '../ops/cast';
import { dropout, tanh } from '../ops/pointwise';
import { linear } from '../ops/linear';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { LOGITS } from '../terms';
import { activationNamed } from './activation';
import { classLoss } from './loss/crossEntropy';
import { meanPooling } from './loss/contrastive';
import { buildLayerNorm } from './norm';

/** The output of an encoder: hidden states, and the pooled first token if there is a pooler. */
export interface Encoded {
  readonly hidden: Tensor;
  readonly pooled: Tensor | null;
}

/** The part after an encoder: its loss, or the output of inference. */
type EncoderHead = (tape: Tape, encoded: Encoded, batch: Batch) => Tensor;

/** The default number of classes (transformers, PretrainedConfig.num_labels). */
const CLASSES = 2;

/** The inputs of a head from its encoder. */
interface HeadParts {
  /** The word table, which a masked-language-model head is tied to. */
  readonly words: Parameter;
  /** Dropout probability in training; 0 otherwise. */
  readonly dropout: number;
  /** Without a pooler, a separate layer over the first token classifies rows (RoBERTa). */
  readonly ownPooling: boolean;
  readonly style: HeadStyle;
}

/** Differences between the heads of families. */
export interface HeadStyle {
  /** Over the first token: RoBERTa's applies dropout to its input, and tanh. */
  readonly pooling?: {
    readonly names: readonly [dense: string, classes: string];
    readonly act: Step;
    readonly dropsInput: boolean;
  };
  /** Applied to hidden states before the word table, or to the first token before the classes (ModernBERT). */
  readonly transform?: (builder: Builder, run: MemoryRun) => Step;
  /** The loss over words is transformers' own function, which upcasts logits (ForMaskedLMLoss). */
  readonly widensLogits?: true;
}

const ROBERTA_POOLING = { names: ['dense', 'out_proj'], act: tanh, dropsInput: true } as const;

/** The run's head. */
export function encoderHead(builder: Builder, run: MemoryRun, parts: HeadParts): EncoderHead {
  switch (run.head) {
    case 'masked-lm':
      return maskedHead(builder, run, parts);
    case 'sequence-classification':
      if (parts.style.transform) return transformedClassifier(builder, run, parts.style.transform);
      return parts.ownPooling ? poolingClassifier(builder, run, parts) : classifier(builder, run, parts);
    case 'token-classification':
      return classifier(builder, run, parts);
    case 'base':
    case 'causal-lm':
    case 'image-classification':
    case 'detector':
    case 'segmenter':
    case 'seq2seq':
    case 'denoiser':
    case 'ctc':
      return (tape, { hidden }) => (run.task === 'train' ? meanPooling(tape, run, hidden) : hidden);
  }
}

/** BertLMPredictionHead: a transformation, then the transposed word table, with a separate bias. */
function maskedHead(builder: Builder, run: MemoryRun, { words, style }: HeadParts): EncoderHead {
  const { model } = run;
  const [, size = model.hiddenSize] = words.shape;
  const bias = builder.vector(model.vocabSize);
  const transform = style.transform?.(builder, run) ?? bertTransform(builder, model, size);
  return (tape, { hidden }, { labels }) => {
    const transformed = transform(tape, hidden);
    return tape.during(LOGITS, () => {
      const logits = linear(tape, transformed, words, bias);
      return maskedLoss(tape, logits, labels, style);
    });
  };
}

function maskedLoss(tape: Tape, logits: Tensor, labels: Tensor | null, { widensLogits }: HeadStyle): Tensor {
  if (labels === null || widensLogits !== true) return classLoss(tape, logits, labels);
  return tape.call([labels], () => {
    tape.name(logits);
    return classLoss(tape, to(tape, logits, 'fp32'), labels);
  });
}

/** BertPredictionHeadTransform. */
function bertTransform(builder: Builder, model: ModelFacts, size: number): Step {
  const dense = builder.linear({ name: 'dense', inputs: model.hiddenSize, outputs: size, bias: true });
  const norm = buildLayerNorm(builder, size);
  const act = activationNamed(model.activation);
  return (tape, hidden) =>
    tape.call([hidden], () => {
      const widened = tape.name(dense(tape, hidden));
      const active = tape.rename(widened, act(tape, widened));
      return norm(tape, active);
    });
}

/** ModernBertForSequenceClassification: the first token, transformed, then the classes. */
function transformedClassifier(
  builder: Builder,
  run: MemoryRun,
  make: NonNullable<HeadStyle['transform']>,
): EncoderHead {
  const { model } = run;
  const batch = run.batch.rows;
  const transform = make(builder, run);
  const shape = { name: 'classifier', inputs: model.hiddenSize, outputs: CLASSES, bias: true };
  const toClasses = builder.linear(shape);
  return (tape, { hidden }, { labels }) => {
    const first = tape.name(slice(tape, hidden, batch * model.hiddenSize));
    const logits = toClasses(tape, tape.name(transform(tape, first)));
    return tape.during(LOGITS, () => classLoss(tape, logits, labels));
  };
}

/** Dropout and a linear layer, over the pooled first token or over every token. */
function classifier(builder: Builder, { model, head }: MemoryRun, parts: HeadParts): EncoderHead {
  const toClasses = builder.linear({
    name: 'classifier',
    inputs: model.hiddenSize,
    outputs: CLASSES,
    bias: true,
  });
  return (tape, { hidden, pooled }, { labels }) => {
    const input = (head === 'sequence-classification' ? pooled : null) ?? hidden;
    const dropped = tape.name(dropout(tape, input, parts.dropout));
    const logits = toClasses(tape, dropped);
    return tape.during(LOGITS, () => classLoss(tape, logits, labels));
  };
}

/** RobertaClassificationHead: dropout, linear layer, tanh, dropout over the first token, then the classes. */
function poolingClassifier(
  builder: Builder,
  { model, batch: { rows: batch } }: MemoryRun,
  parts: HeadParts,
): EncoderHead {
  const size = model.hiddenSize;
  const { names, act, dropsInput } = parts.style.pooling ?? ROBERTA_POOLING;
  const dense = builder.linear({ name: names[0], inputs: size, outputs: size, bias: true });
  const toClasses = builder.linear({ name: names[1], inputs: size, outputs: CLASSES, bias: true });
  const dropped = (tape: Tape, x: Tensor): Tensor => dropout(tape, x, parts.dropout);
  const steps = [...(dropsInput ? [dropped] : []), dense, act, dropped, toClasses];
  return (tape, { hidden }, { labels }) => {
    const logits = tape.call([hidden], () => {
      const first = tape.name(slice(tape, hidden, batch * size));
      return tape.through(
        first,
        steps.map(step => x => step(tape, x)),
      );
    });
    return tape.during(LOGITS, () => classLoss(tape, logits, labels));
  };
}
