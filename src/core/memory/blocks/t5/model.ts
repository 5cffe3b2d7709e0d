import type { Batch, Model } from '../../architecture';
import { stated } from '../../configValues';
import type { Builder } from '../../modules';
import { linear } from '../../ops/linear';
import { scale } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { isHalf } from '../../tensor';
import type { Tensor } from '../../tensor';
import { LOGITS } from '../../terms';
import { classLoss } from '../loss/crossEntropy';
import { buildT5Stack, runT5Stack } from './stack';

/** The default of T5Config. */
const DROPOUT = 0.1;

/** T5ForConditionalGeneration, and similar models that do not scale the decoder's output. */
export function buildT5(builder: Builder, run: MemoryRun, scales: boolean): Model {
  const { model, task, behavior } = run;
  const words = builder.embedding('shared', model.vocabSize, model.hiddenSize);
  const rate = task === 'train' ? stated(model, 'dropout_rate', DROPOUT) : 0;
  const encoder = buildT5Stack(builder, run, { count: model.layers, isDecoder: false, rate });
  const count = stated(model, 'num_decoder_layers', model.layers);
  const decoder = buildT5Stack(builder, run, { count, isDecoder: true, rate });
  // T5Config ties the head regardless of the file; a checkpoint with a separate head restores it.
  const isTied = model.tiedEmbeddings || behavior.madeOfConfig;
  const head = isTied ? words : builder.embedding('lm_head', model.vocabSize, model.hiddenSize);
  return (tape, { inputIds, attentionMask: padding, labels, decoderIds }: Batch) =>
    tape.call([], () => {
      const inputs = { words, ids: inputIds, padding, encoded: null };
      const hidden = tape.name(runT5Stack(tape, run, encoder, inputs));
      const ids = tape.name(labels ? shiftedRight(tape, labels) : (decoderIds ?? inputIds));
      const encoded = { hidden, padding };
      const decoded = tape.name(runT5Stack(tape, run, decoder, { words, ids, padding: null, encoded }));
      const scaled = scales ? tape.name(scale(tape, decoded)) : decoded;
      return tape.during(LOGITS, () => {
        const logits = tape.name(linear(tape, scaled, head, null));
        const loss = classLoss(tape, logits, labels);
        return copied(tape, run, logits, loss);
      });
    });
}

/** accelerate copies 16-bit outputs to fp32, and the copies are not kept. */
function copied(
  tape: Tape,
  { behavior, numbers: { autocast } }: MemoryRun,
  logits: Tensor,
  loss: Tensor,
): Tensor {
  if (!behavior.copiesOutputs || autocast === null || !isHalf(logits.dtype)) return loss;
  tape.name(loss);
  tape.spend(tape.empty(logits.elements, 'fp32'));
  return loss;
}

/** _shift_right: the decoder's input is its target, shifted by one position. */
export function shiftedRight(tape: Tape, labels: Tensor): Tensor {
  return tape.call([labels], () => {
    const ids = tape.name(tape.like(labels));
    tape.spend(tape.like(labels));
    tape.spend(tape.empty(labels.elements, 'bool'));
    return ids;
  });
}
