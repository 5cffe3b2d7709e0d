import type { Architecture } from './architecture';
import { cacheOf } from './generation';
import { ModelBuilder } from './builder';
import type { Peak } from './ledger';
import { forwards, referenceOf } from './modelPasses';
import type { Evaluation, MemoryRun } from './run';
import { decoded } from './pipeline';
import type { Tape } from './tape';
import { WEIGHTS } from './terms';

/** The run with the settings of its evaluation. */
export function evaluationRun(run: MemoryRun): MemoryRun {
  const { evaluated, picture } = run.evaluation;
  if (evaluated.kind !== 'known') return run;
  return {
    ...run,
    batch: { ...run.batch, rows: evaluated.value, ...(picture && { image: picture.image }) },
    training: { ...run.training, gradAccum: 1 },
  };
}

/**
 * An evaluation batch between two training steps: `model.eval()` and a forward pass with its loss under `no_grad`,
 * on top of weights and optimizer states; gradients are freed by then (transformers 5.23 trainer.py,
 * _maybe_log_save_evaluate after zero_grad; prediction_step). Logits are freed with their batch: without metrics,
 * the Trainer keeps only losses (evaluate: prediction_loss_only).
 */
export function evaluation(architecture: Architecture, run: MemoryRun, tape: Tape): Peak {
  const { ledger } = tape;
  const now = evaluationRun(run);
  const { picture } = run.evaluation;
  tape.graph = null;
  tape.evaluates = true;
  ledger.takePeak();
  const loaded = ledger.place(picture?.pipeline.encoderBytes ?? 0, WEIGHTS, 1);
  // The models already exist: they are built again without memory.
  ledger.muted = true;
  const builder = new ModelBuilder(tape, now);
  const trained = Array.from({ length: run.encoders }, () => architecture.build(builder, now));
  const reference = referenceOf(architecture, now, tape, trained);
  ledger.muted = false;
  builder.begin();
  const { output, labels } = forwards(tape, now, { trained, reference });
  builder.finishPass();
  for (const tensor of [output, ...labels]) tape.release(tensor);
  if (run.evaluation.writes) written(architecture, now, tape, run.evaluation.writes);
  tape.evaluates = false;
  const denoised = ledger.takePeak();
  const finished = picture ? decoded(tape, now, picture.pipeline) : denoised;
  ledger.release(loaded);
  return finished.bytes > denoised.bytes ? finished : denoised;
}

/**
 * Seq2SeqTrainer with `predict_with_generate`: generates texts first, with keys and values of both attentions
 * cached (transformers 5.23, trainer_seq2seq.py, prediction_step). Assumes that the generated tokens are decoded in
 * one pass.
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
  tape.release(output);
  tape.cache?.drop(tape);
  tape.cache = null;
}
