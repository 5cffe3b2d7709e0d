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
import { servedPositions } from '../../models/servedPositions';
import type { Engine, Serving } from '../engine';
import { draftFor, knowsDrafts } from '../serving/drafts';
import { attentionOf } from './attentionCopies';
import { isInference, isPolicy, POLICY_TASKS } from './task';

/** Tasks in which the model generates its training rows, whatever the loss. */
const WRITES: ReadonlySet<string> = new Set([...POLICY_TASKS, 'online_dpo', 'gkd']);

/**
 * The generator next to training: an engine with a share of the GPU, or the model itself, with all completions of
 * an optimizer step at once (trl 1.16, grpo_config.py: steps_per_generation is gradient_accumulation_steps).
 */
function rolloutOf(questions: RunQuestions, { rows: batch }: BatchShape): Rollout | null {
  if (!WRITES.has(questions.value('task') ?? '')) return null;
  const share = questions.detail('memoryShare') ?? 0;
  const sleeps = questions.detail('engineSleeps') === true;
  const settings = questions.detail('rolloutEngine');
  if (share > 0) return { by: 'engine', share, sleeps, settings };
  // Except for policies, rows are generated per micro-batch.
  const ahead = isPolicy(questions.value('task')) ? (questions.value('gradAccum') ?? 1) : 1;
  const rows = questions.detail('rolloutRows') ?? batch * ahead;
  // A config can state that the model generates none: an engine does, on other GPUs or with an unstated share.
  if (rows === 0) return { by: 'engine', share: 0, sleeps, settings };
  const scored = questions.detail('scoredRows');
  const scores = scored === null ? 0 : scored * (questions.detail('completionTokens') ?? 0);
  return { by: 'model', rows, scores };
}

/** Tokens whose logits the loss needs: the generated ones, and the one before them. */
function scoredTokens(questions: RunQuestions): number | null {
  const written = isPolicy(questions.value('task')) ? questions.detail('completionTokens') : null;
  return written === null ? null : written + 1;
}

/** The serving engine of a run; null: the model's own code generates. */
export function engineOf(questions: RunQuestions): Engine | null {
  if (!isInference(questions) || questions.value('task') === 'load') return null;
  const { framework } = questions.run;
  const { serving } = profileOf(framework);
  return serving?.inRelease && framework.version !== null ? serving.inRelease(framework.version) : serving;
}

/** The engine's settings, with its defaults; null, and noted, if unknown; null, too, where it keeps no cache. */
export function servingOf(
  questions: RunQuestions,
  engine: Engine,
  model: ModelFacts,
  target: Target | null,
): Serving | null {
  const { title, shareKey } = engine;
  if (keepsNone(engine, model)) return null;
  if (target === null) {
    const gap = { what: 'GPU for a share', name: title } as const;
    questions.lack(`the GPU: ${title} takes a share of its memory`, gap);
  }
  const parallel = questions.value('parallel');
  const share = questions.detail('memoryShare') ?? engine.share ?? ownShare(questions, engine, model, target);
  if (share === null) questions.lack(`${shareKey}: ${title} finds its own otherwise`);
  const stated = questions.value('seqLen');
  const context = stated ?? fullContext(questions, model, engine);
  if (context === null) questions.lack('the longest sequence');
  if (share === null || context === null || target === null) return null;
  return {
    ...{ engine, share, context, isStated: stated !== null },
    mostTokens: questions.detail('cacheTokens'),
    ...optionsOf(questions, model, engine.sequences(target)),
    tensorRanks: attentionOf(parallel).ranks,
    stages: parallel?.pipeline ?? 1,
  };
}

const keepsNone = ({ encodersKeepNone }: Engine, { kind }: ModelFacts): boolean =>
  kind === 'encoder' && encodersKeepNone === true;

/** Settings that have a default whatever the GPU is. */
function optionsOf(
  questions: RunQuestions,
  model: ModelFacts,
  sequences: number,
): Pick<Serving, 'sequences' | 'isEager' | 'overridesLength' | 'extras' | 'draftModel'> {
  const extras = questions.detail('servedExtras');
  const draftModel = draftFor(model, extras?.drafter?.model ?? null);
  noteDrafts(questions, model, { extras, draftModel });
  return {
    sequences: questions.detail('maxSequences') ?? sequences,
    isEager: questions.detail('enforceEager') === true,
    overridesLength: questions.detail('overridesLength') === true,
    extras,
    draftModel,
  };
}

/** Says what is supposed about drafts, or that they are not counted. */
function noteDrafts(
  questions: RunQuestions,
  model: ModelFacts,
  serving: Pick<Serving, 'extras' | 'draftModel'>,
): void {
  const drafter = serving.extras?.drafter ?? null;
  if (drafter === null) return;
  if (!knowsDrafts(serving)) {
    questions.assume(
      null,
      `the model that drafts tokens${nameOf(drafter.model)} is not counted: its size is unknown`,
    );
  } else if (drafter.kind === 'model' && model.drafter === undefined) {
    questions.assume(null, `the model that drafts tokens${nameOf(drafter.model)} has the size in its name`);
  } else if (drafter.kind !== 'model') {
    questions.assume(null, 'what drafts tokens is a layer as wide as those of the model');
  }
}

const nameOf = (model: string | null): string => (model === null ? '' : ` ${model}`);

/** The share that an engine computes; null where a setting that changes it is not modeled. */
function ownShare(
  questions: RunQuestions,
  engine: Engine,
  model: ModelFacts,
  target: Target | null,
): number | null {
  const isOpen = questions.run.details.memoryShare?.origin.kind === 'unresolved';
  if (!engine.ownShare || target === null || isOpen) return null;
  const parallel = questions.value('parallel');
  const { tensor = 1, pipeline = 1 } = parallel ?? {};
  const share = engine.ownShare({
    totalMiB: target.totalMiB,
    tensorRanks: tensor,
    ranks: tensor * pipeline,
    attentionCopies: attentionOf(parallel).copies,
    chunk: questions.detail('prefillTokens'),
    model,
  });
  return questions.assume(
    share,
    `${engine.shareKey} is ${share}, as ${engine.title} computes it for this GPU`,
  );
}

/** By default, engines promise the model's maximum length. */
function fullContext(questions: RunQuestions, model: ModelFacts, engine: Engine): number | null {
  const most = promisedBy(engine, model);
  if (most === null) return null;
  if (most !== servedPositions(model)) {
    return questions.assume(most, `sequences of up to ${most} tokens, as ${engine.title} promises`);
  }
  return questions.assume(most, `sequences of up to ${most} tokens, for which the model was made`);
}

/** The length that an engine promises of itself. */
function promisedBy(engine: Engine, model: ModelFacts): number | null {
  const positions = servedPositions(model);
  return positions === null ? null : (engine.promised?.(positions) ?? positions);
}

/** The profiling pass of an engine: the largest number of tokens that it computes at once. */
export function profilingPass(
  questions: RunQuestions,
  engine: Engine,
  model: ModelFacts,
  target: Target | null,
): BatchShape {
  const context = questions.value('seqLen') ?? promisedBy(engine, model) ?? 0;
  const pass = {
    model,
    tensorRanks: attentionOf(questions.value('parallel')).ranks,
    share: questions.detail('memoryShare'),
  };
  const chunk = questions.detail('prefillTokens') ?? engine.prefillTokens(target, context, pass);
  // Copies of attention divide a chunk (sglang 0.5.12, srt/server_args.py, _handle_data_parallelism).
  const tokens = Math.floor(chunk / attentionOf(questions.value('parallel')).copies);
  // Without a cache a text is not computed in chunks (vllm, config/scheduler.py): the pass holds the longest one.
  return { ...ONE_TEXT, tokens: keepsNone(engine, model) ? Math.max(tokens, context) : tokens };
}

/** The generated tokens of a run, and its cache. */
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

/** A prompt before generation needs only its last token's logits; an engine those of each sequence. */
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

/** A StaticCache of transformers has room for all tokens, and attention covers all of it. */
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
