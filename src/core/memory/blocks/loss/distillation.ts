import { to } from '../../ops/cast';
import { klDivergence, logSumExpOfTwo, logSoftmax } from '../../ops/loss';
import { add, scale, sum } from '../../ops/pointwise';
import { pick, slice } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { isHalf } from '../../tensor';
import type { Tensor } from '../../tensor';

/**
 * Jensen–Shannon divergence between the vocabulary distributions of a student and a teacher, with the logits of
 * both (trl 1.16, experimental/gkd/gkd_trainer.py, compute_loss and generalized_jsd_loss with a beta between 0 and
 * 1). Under autocast, accelerate has upcast both. Assumes that all tokens are labeled.
 */
export function distillationLoss(tape: Tape, run: MemoryRun, logits: Tensor): Tensor {
  const { behavior, model } = run;
  const { autocast } = run.numbers;
  const { rows: batch, tokens } = run.batch;
  const wide = autocast !== null && behavior.copiesOutputs && isHalf(logits.dtype);
  const words = batch * (tokens - 1) * model.vocabSize;
  return tape.call([logits], () => {
    const outputs = tape.rename(logits, wide ? to(tape, logits, 'fp32') : logits);
    const teacher = tape.name(wide ? to(tape, taught(tape, run), 'fp32') : taught(tape, run));
    const tempered = (of: Tensor): Tensor => tape.name(scale(tape, slice(tape, of, words)));
    const [student, other] = [tempered(outputs), tempered(teacher)];
    const own = tape.name(logSoftmax(tape, student));
    const theirs = tape.name(logSoftmax(tape, other));
    const mixture = tape.name(logSumExpOfTwo(tape, own, theirs));
    const ofTeacher = tape.name(klDivergence(tape, mixture, theirs));
    const ofStudent = tape.name(klDivergence(tape, mixture, own));
    let divergence = tape.name(add(tape, scale(tape, ofTeacher), scale(tape, ofStudent)));
    const labeled = tape.empty(2 * batch * (tokens - 1), 'int64');
    divergence = tape.rename(divergence, pick(tape, divergence, labeled, words));
    return sum(tape, divergence);
  });
}

/** The result of the teacher's pass, which has no graph. */
const taught = (
  tape: Tape,
  { batch: { rows: batch, tokens }, model, numbers: { autocast, weightDtype } }: MemoryRun,
): Tensor => tape.empty(batch * tokens * model.vocabSize, autocast ?? weightDtype);
