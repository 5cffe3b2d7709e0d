import type { Batch } from '../architecture';
import type { Builder } from '../modules';
import { linear } from '../ops/linear';
import { copy, slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { classLoss } from './loss/crossEntropy';
import { meanPooling } from './loss/contrastive';
import { languageModelHead } from './loss/languageModelHead';
import type { HeadOptions } from './loss/languageModelHead';

/** The part after a decoder: its loss, or the output of inference. */
type DecoderHead = (tape: Tape, hidden: Tensor, batch: Batch) => Tensor;

/** Number of scores per row in a reward model. */
const SCORES = 1;

/** The run's head. `table` is the word table, which the language-model head may be tied to. */
export function decoderHead(
  builder: Builder,
  run: MemoryRun,
  table: Parameter | null,
  options: HeadOptions,
): DecoderHead {
  const { vocabSize, hiddenSize, tiedEmbeddings } = run.model;
  const [, width = hiddenSize] = table?.shape ?? [];
  if (run.head === 'base') {
    return (tape, hidden) => (run.task === 'train' ? meanPooling(tape, run, hidden) : hidden);
  }
  if (run.head === 'sequence-classification') {
    return scoreHead(builder.embedding('score', SCORES, hiddenSize), run);
  }
  if (run.behavior.quantizesHead && run.numbers.quantization !== null) {
    const shape = { name: 'lm_head', inputs: width, outputs: vocabSize, bias: false };
    const quantized = builder.linear(shape);
    return (tape, hidden, batch) => languageModelHead(tape, run, hidden, quantized, batch, options);
  }
  if (run.head === 'token-classification') {
    return stepHead(builder.embedding('score', STEP_LABELS, hiddenSize), builder.vector(STEP_LABELS));
  }
  const head = (tiedEmbeddings ? table : null) ?? builder.embedding('lm_head', vocabSize, width);
  return (tape, hidden, batch) => languageModelHead(tape, run, hidden, head, batch, options);
}

/** Labels of a step: right or wrong (trl, prm_trainer.py: num_labels=2). */
const STEP_LABELS = 2;

/** GenericForTokenClassification: two scores per token, from a layer with a bias. */
function stepHead(score: Parameter, bias: Parameter): DecoderHead {
  return (tape, hidden, { labels }) =>
    tape.call([hidden], () => classLoss(tape, linear(tape, hidden, score, bias), labels));
}

/** GenericForSequenceClassification: scores of all tokens; each row's last one counts. */
function scoreHead(score: Parameter, { batch: { rows } }: MemoryRun): DecoderHead {
  return (tape, hidden, { labels }) =>
    tape.call([hidden], () => {
      const scores = tape.name(linear(tape, hidden, score, null));
      const last = copy(tape, slice(tape, scores, rows * SCORES));
      return classLoss(tape, last, labels);
    });
}
