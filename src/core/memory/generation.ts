import type { Architecture } from './architecture';
import { ModelBuilder } from './builder';
import { KvCache, PrefixCache } from './kvCache';
import type { Ledger, Peak } from './ledger';
import { forwards } from './modelPasses';
import { computeDtype } from './run';
import type { MemoryRun, OwnRollout } from './run';
import type { Tape } from './tape';
import { bytesPer } from './tensor';
import type { Tensor } from './tensor';
import { LOGITS, KV_CACHE } from './terms';

/** The cache that a run keeps; null if none. */
export function cacheOf({
  task,
  generation: { useCache, cacheDtype, staticCache, generated, seen },
  behavior,
  batch: { tokens },
}: MemoryRun): KvCache | null {
  if (task === 'train' && seen > 0) return new PrefixCache(behavior.generation, seen);
  if (task !== 'infer' || !useCache) return null;
  const room = staticCache && (staticCache.room === 'all' ? tokens + generated : Math.max(generated, 1));
  const seesFilled = staticCache?.sees === 'filled';
  return new KvCache({ code: behavior.generation, dtype: cacheDtype, room, seesFilled });
}

/**
 * The part of `generate` after the prompt: a one-token pass for each token except the first. Memory peaks in the
 * first of them, on top of what the prompt left, or in the last, whose cache is the longest. `logits` are the
 * prompt's.
 */
export function generation(architecture: Architecture, run: MemoryRun, tape: Tape, logits: Tensor): Peak {
  const { ledger, cache } = tape;
  const { keepsOutputs } = run.behavior.generation;
  sample(tape, run);
  if (!keepsOutputs) tape.release(logits);
  ledger.takePeak();
  if (run.generation.generated > 1) step(architecture, run, tape, run.batch.tokens);
  if (keepsOutputs) tape.release(logits);
  const last = run.batch.tokens + run.generation.generated - 2;
  if (last <= run.batch.tokens) return ledger.takePeak();
  const first = ledger.takePeak();
  cache?.fill(tape, last);
  tape.spend(pass(architecture, run, tape, last));
  ledger.takePeak();
  step(architecture, run, tape, last);
  const later = ledger.takePeak();
  return later.bytes > first.bytes ? later : first;
}

function step(architecture: Architecture, run: MemoryRun, tape: Tape, seen: number): void {
  tape.cache?.step();
  const logits = tape.keep(pass(architecture, run, tape, seen));
  tape.cache?.settle(tape);
  sample(tape, run);
  tape.release(logits);
}

/** A forward pass over one token per row. The weights already exist: they are built again without memory. */
function pass(architecture: Architecture, run: MemoryRun, tape: Tape, seen: number): Tensor {
  const now: MemoryRun = {
    ...run,
    batch: { ...run.batch, tokens: 1 },
    generation: { ...run.generation, seen, generated: 0, logitsToKeep: null },
  };
  const model = muted(tape.ledger, () => architecture.build(new ModelBuilder(tape, now), now));
  const { output } = forwards(tape, now, { trained: [model], reference: null });
  output.holders -= 1;
  return output;
}

function muted<R>(ledger: Ledger, body: () => R): R {
  ledger.muted = true;
  const result = body();
  ledger.muted = false;
  return result;
}

/** `logits[:, -1].clone().float()` and its probabilities (generation/utils.py, _sample). */
function sample(tape: Tape, { batch: { rows: batch }, model, numbers: { weightDtype } }: MemoryRun): void {
  tape.during(LOGITS, () => {
    const scores = batch * model.vocabSize;
    const clone = tape.workspace(scores * bytesPer(weightDtype));
    const wide = tape.done(tape.empty(scores, 'fp32'), clone);
    tape.spend(tape.done(tape.empty(scores, 'fp32'), wide));
  });
}

/**
 * Memory when the last token is generated: weights and states, the cache of all rows, a second copy of a layer's
 * keys that the next token is appended to, the last token's logits, upcast, and their probabilities.
 */
export function rolledOut(run: MemoryRun, { rows, scores }: OwnRollout, ledger: Ledger): Peak {
  const { layers, kvHeads, headDim, vocabSize } = run.model;
  const each = run.batch.tokens * kvHeads * headDim * bytesPer(computeDtype(run));
  const cache = ledger.allocate(rows * each * (2 * layers + 1), KV_CACHE);
  const logits = ledger.allocate(rows * vocabSize * (2 + 4 + 4), LOGITS);
  const kept = ledger.allocate(scores * vocabSize * 4, LOGITS);
  for (const storage of [cache, logits, kept]) ledger.release(storage);
  return ledger.takePeak();
}
