import type { Rollout } from '../run';
import type { Dtype } from '../../spec/values';
import type { Behavior, StaticCache } from '../frameworks/behavior/behavior';
import { profileOf } from '../frameworks/profileOf';
import type { Generation } from '../run';
import type { LoraPlan } from '../adapterMethod';
import type { Element } from '../tensor';
import { prefixOf } from './adapters';
import type { RunQuestions } from './questions';
import { ONE_TEXT } from './batch';
import type { BatchShape } from './batch';
import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import type { Engine, Serving } from '../engine';
import { isInference, isPolicy, POLICY_TASKS } from './task';

/** Tasks of models that write what they are trained on, whatever the loss. */
const WRITES: ReadonlySet<string> = new Set([...POLICY_TASKS, 'online_dpo', 'gkd']);

/**
 * Who writes, in addition to training: an engine that holds a share of the GPU, or the model itself, all completions of an
 * optimizer step at once (trl 1.16, grpo_config.py: steps_per_generation is gradient_accumulation_steps).
 */
function rolloutOf(questions: RunQuestions, { rows: batch }: BatchShape): Rollout | null {
  if (!WRITES.has(questions.value('task') ?? '')) return null;
  const share = questions.detail('memoryShare') ?? 0;
  if (share > 0) return { by: 'engine', share };
  // in addition to policies nothing is written ahead of a micro-batch.
  const ahead = isPolicy(questions.value('task')) ? (questions.value('gradAccum') ?? 1) : 1;
  const rows = questions.detail('rolloutRows') ?? batch * ahead;
  // A config may say that the model writes none itself: an engine does, on other GPUs or in a share that is not stated.
  if (rows === 0) return { by: 'engine', share: 0 };
  const scored = questions.detail('scoredRows');
  const scores = scored === null ? 0 : scored * (questions.detail('completionTokens') ?? 0);
  return { by: 'model', rows, scores };
}

/** Logits that the loss asks for: of what was written, and of the token before it. */
function scoredTokens(questions: RunQuestions): number | null {
  const written = isPolicy(questions.value('task')) ? questions.detail('completionTokens') : null;
  return written === null ? null : written + 1;
}

/** The engine that a run is served by; null: none, the model's own code generates. */
export function engineOf(questions: RunQuestions): Engine | null {
  if (!isInference(questions) || questions.value('task') === 'load') return null;
  return profileOf(questions.run.framework).serving;
}

/** What an engine was told, with its own defaults; null, and noted, where it cannot be known. */
export function servingOf(
  questions: RunQuestions,
  engine: Engine,
  model: ModelFacts,
  target: Target | null,
): Serving | null {
  const { title, shareKey } = engine;
  if (target === null) questions.lack(`the GPU: ${title} takes a share of its memory`);
  const share = questions.detail('memoryShare') ?? engine.share;
  if (share === null) questions.lack(`${shareKey}: ${title} finds its own otherwise`);
  const context = questions.value('seqLen') ?? fullContext(questions, model);
  if (context === null) questions.lack('the longest sequence');
  if (share === null || context === null || target === null) return null;
  const sequences = questions.detail('maxSequences') ?? engine.sequences;
  return { engine, share, context, sequences };
}

/** Engines promise what the model was made for. */
function fullContext(questions: RunQuestions, { maxPositions }: ModelFacts): number | null {
  if (maxPositions === null) return null;
  return questions.assume(
    maxPositions,
    `sequences of up to ${maxPositions} tokens, for which the model was made`,
  );
}

/** The pass by which an engine finds out what its model takes: as many tokens as it ever computes at once. */
export function profilingPass(questions: RunQuestions, engine: Engine, target: Target | null): BatchShape {
  const tokens = questions.detail('prefillTokens') ?? engine.prefillTokens(target?.totalMiB ?? 0);
  return { ...ONE_TEXT, tokens };
}

/** What a run generates, and the cache that it keeps for it. */
export function generationOf(
  questions: RunQuestions,
  shape: BatchShape,
  { serving, engine, behavior, lora }: Generating,
): Generation {
  return {
    serving,
    useCache: engine === null && (questions.detail('kvCache') ?? true),
    seen: prefixOf(lora),
    generated: shape.generated,
    staticCache:
      questions.detail('staticCache') === true ? WHOLE : profileOf(questions.run.framework).staticCache,
    cacheDtype: cacheDtypeOf(questions),
    rollout: rolloutOf(questions, shape),
    logitsToKeep: logitsToKeepOf(questions, behavior, shape, serving),
  };
}

interface Generating {
  readonly serving: Serving | null;
  readonly engine: Engine | null;
  readonly behavior: Behavior;
  readonly lora: LoraPlan | null;
}

/** A prompt that is followed by generation needs its last token's logits only; an engine those of each sequence. */
function logitsToKeepOf(
  questions: RunQuestions,
  behavior: Behavior,
  { tokens, generated }: BatchShape,
  serving: Serving | null,
): number | null {
  if (serving) return Math.min(serving.sequences, tokens);
  if (behavior.formerCode && behavior.generation.promptLogits === 'all') return null;
  const own = generated > 0 && behavior.generation.promptLogits === 'last' ? 1 : null;
  return questions.detail('logitsToKeep') ?? scoredTokens(questions) ?? own;
}

/** A StaticCache of transformers has room for everything, and attention goes over all of it. */
const WHOLE: StaticCache = { room: 'all', sees: 'room' };

const CACHE_DTYPES: Readonly<Partial<Record<Dtype, Element>>> = {
  fp32: 'fp32',
  bf16: 'bf16',
  fp16: 'fp16',
  fp8: 'uint8',
  int8: 'uint8',
};

function cacheDtypeOf(questions: RunQuestions): Element | null {
  const stated = questions.detail('kvCacheDtype');
  return stated === null ? null : (CACHE_DTYPES[stated] ?? null);
}
