import type { Batch } from '../../architecture';
import { linear } from '../../ops/linear';
import { to } from '../../ops/cast';
import { slice } from '../../ops/shape';
import type { Linear, Step } from '../../modules';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { isHalf } from '../../tensor';
import type { Parameter, Tensor } from '../../tensor';
import { LOGITS } from '../../terms';
import { chunkedLoss } from './chunked';
import { causalLoss } from './crossEntropy';
import { cutLoss, fusedLinearLoss } from './fused';
import { lossInParts } from './inParts';
import { distillationLoss } from './distillation';
import { policyLoss, tiledPolicyLoss } from './policy';
import { preferenceLoss, widenedScores } from './preference';

/** Options between hidden states and logits, in addition to the head's product. */
export interface HeadOptions {
  /** Applied to logits: scaling (Granite), capping (Gemma 2). */
  readonly logits?: Step;
}

/** A ForCausalLM's forward after its model: logits, and the loss if there are labels. */
export function languageModelHead(
  tape: Tape,
  run: MemoryRun,
  hidden: Tensor,
  head: Parameter | Linear,
  batch: Batch,
  options: HeadOptions,
): Tensor {
  const { loss } = run.behavior;
  return tape.during(LOGITS, () => {
    if (loss.kind === 'in parts' && batch.labels !== null && run.task === 'train' && !options.logits) {
      return lossInParts(tape, { hidden, head, labels: batch.labels }, loss);
    }
    if (typeof head !== 'function' && batch.labels !== null && run.task === 'train') {
      const inputs = { hidden, head, labels: batch.labels, rows: run.batch.rows };
      if (loss.kind === 'fused linear') return fusedLinearLoss(tape, inputs, loss.upcast);
      if (loss.kind === 'cut') return cutLoss(tape, inputs);
      if (loss.kind === 'policy' && loss.logits === 'tiles') return tiledPolicyLoss(tape, run, inputs);
      if (loss.kind === 'chunked') {
        const tokens = 'tokens' in loss ? loss.tokens : Math.ceil(batch.labels.elements / loss.parts);
        return chunkedLoss(tape, inputs, tokens);
      }
    }
    return withLogits(tape, run, hidden, head, batch, options);
  });
}

function withLogits(
  tape: Tape,
  run: MemoryRun,
  hidden: Tensor,
  head: Parameter | Linear,
  { labels }: Batch,
  options: HeadOptions,
): Tensor {
  const { loss: code, copiesOutputs } = run.behavior;
  return tape.call([hidden], () => {
    const last = lastTokens(tape, run, hidden);
    const plain = typeof head === 'function' ? head(tape, last) : linear(tape, last, head, null);
    let logits = tape.name(options.logits ? options.logits(tape, plain) : plain);
    if (labels === null) {
      return run.behavior.generation.widensLogits ? tape.rename(logits, to(tape, logits, 'fp32')) : logits;
    }
    if (code.kind === 'log-probabilities') {
      logits = widenedScores(tape, run, logits, code);
      return preferenceLoss(tape, run, logits, labels, code);
    }
    if (code.kind === 'policy') return policyLoss(tape, run, logits, code);
    if (code.kind === 'distillation') return distillationLoss(tape, run, logits);
    if (code.kind !== 'cross-entropy') return logits;
    if (code.upcast === 'in forward') logits = tape.rename(logits, to(tape, logits, 'fp32'));
    const loss = tape.name(causalLoss(tape, code, logits, labels, run.batch.rows));
    if (copiesOutputs && run.numbers.autocast !== null && isHalf(logits.dtype)) {
      tape.spend(tape.empty(logits.elements, 'fp32'));
    }
    return loss;
  });
}

/** `hidden[:, -n:, :]` if only the last tokens need logits. */
function lastTokens(
  tape: Tape,
  { generation: { logitsToKeep }, batch: { rows: batch }, model }: MemoryRun,
  hidden: Tensor,
): Tensor {
  const kept = logitsToKeep === null ? hidden.elements : batch * logitsToKeep * model.hiddenSize;
  return kept === hidden.elements ? hidden : slice(tape, hidden, kept);
}
