import type { Architecture } from './architecture';
import { cacheOf } from './generation';
import { ModelBuilder } from './builder';
import type { Peak } from './ledger';
import { forwards, referenceOf } from './modelPasses';
import type { Evaluation, MemoryRun } from './run';
import type { Tape } from './tape';

/** The run as its evaluation sees it. */
export function asEvaluated(run: MemoryRun): MemoryRun {
  const { evaluated } = run.evaluation;
  if (evaluated.kind !== 'known') return run;
  return {
    ...run,
    batch: { ...run.batch, rows: evaluated.value },
    training: { ...run.training, gradAccum: 1 },
  };
}

/**
 * A batch of evaluation between two training steps: `model.eval()` and a forward pass with its loss under `no_grad`,
 * in addition to weights and optimizer states; gradients are gone by then (transformers 5.23 trainer.py,
 * _maybe_log_save_evaluate after zero_grad; prediction_step). Logits die with their batch: without metrics of its own a
 * Trainer keeps losses only (evaluate: prediction_loss_only).
 */
export function evaluation(architecture: Architecture, run: MemoryRun, tape: Tape): Peak {
  const { ledger } = tape;
  const now = asEvaluated(run);
  tape.graph = null;
  tape.evaluates = true;
  ledger.takePeak();
  // The models are there already: they are made again without memory.
  ledger.muted = true;
  const builder = new ModelBuilder(tape, now);
  const trained = Array.from({ length: run.encoders }, () => architecture.build(builder, now));
  const reference = referenceOf(architecture, now, tape, trained);
  ledger.muted = false;
  builder.begin();
  const { output, labels } = forwards(tape, now, { trained, reference });
  builder.finishPass();
  for (const tensor of [output, ...labels]) tape.letGo(tensor);
  if (run.evaluation.writes) written(architecture, now, tape, run.evaluation.writes);
  tape.evaluates = false;
  return ledger.takePeak();
}

/**
 * Seq2SeqTrainer with `predict_with_generate`: texts are generated first, with keys and values of both attentions cached
 * (transformers 5.23, trainer_seq2seq.py, prediction_step). What is generated is taken to be decoded in one pass.
 */
function written(
  architecture: Architecture,
  run: MemoryRun,
  tape: Tape,
  { tokens, beams }: NonNullable<Evaluation['writes']>,
): void {
  const writing: MemoryRun = {
    ...run,
    task: 'infer',
    batch: { ...run.batch, rows: run.batch.rows * beams, targets: tokens },
    generation: { ...run.generation, useCache: true },
  };
  const { ledger } = tape;
  ledger.muted = true;
  const builder = new ModelBuilder(tape, writing);
  const trained = [architecture.build(builder, writing)];
  ledger.muted = false;
  tape.cache = cacheOf(writing);
  const { output } = forwards(tape, writing, { trained, reference: null });
  tape.letGo(output);
  tape.cache?.drop(tape);
  tape.cache = null;
}
