import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import type { RunSpec } from '../../spec/runSpec';
import type { Dtype } from '../../spec/values';
import { compareReleases } from '../../spec/version';
import type { Architecture } from '../architecture';
import { architectures } from '../architectures/registry';
import { languageModel } from '../../models/languageModel';
import { withTower } from '../visionLanguage';
import { picturesIn, supposeModel } from './model';
import { megatronGpt } from '../architectures/megatron';
import { profileOf, transformersOf } from '../frameworks/profileOf';
import { behaviorOf } from '../frameworks/behavior/behaviorOf';
import type { Behavior, StaticCache } from '../frameworks/behavior/behavior';
import type { Serving } from '../engine';
import { nearestTo, nearness } from '../nearest';
import type { LoraPlan, MemoryRun, Segments } from '../run';
import type { Element } from '../tensor';
import { loraOf, prefixOf, mergesOf } from './adapters';
import { RunQuestions } from './questions';
import { attentionOf, checkpointingOf, hasFlash } from './recompute';
import { batchOf, supposeUncutLength, supposeShare } from './batch';
import type { BatchShape } from './batch';
import { evaluationOf } from './evaluation';
import { frozenPartsOf, partlyOf } from './parts';
import { besideOf, othersOf } from './otherModels';
import { numbersOf } from './numbers';
import type { Numbers } from './numbers';
import { rolloutOf, scoredTokens, valuesOf, engineOf, profilingPass, servingOf } from './generation';
import { placedBy } from './placement';
import {
  checkScope,
  replicasOf,
  spreadOf,
  comparesPairs,
  headOf,
  isInference,
  kindOf,
  optimizerOf,
  referenceOf,
  supposeTask,
  isPolicy,
} from './task';
import {
  cutsOf,
  expertTensorOf,
  ranksOfSlice,
  sliceOf,
  stagesOf,
  castAdapters,
  shardingOf,
  underZero,
  usesZero,
} from './sharding';

/** A run ready for the tape, with what had to be assumed. */
export interface Plan {
  readonly memoryRun: MemoryRun;
  readonly architecture: Architecture;
  readonly assumptions: readonly string[];
  /** The ranks of a pipeline that may need most; else the run itself. */
  readonly stages: readonly MemoryRun[];
  /** What decides was supposed: the estimate is no ground for a verdict. */
  readonly undecided: boolean;
}

export type SetUp =
  { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly missing: readonly string[] };

/** What a measurement says of its run that no config can: both stand in place of what is derived. */
export interface Injected {
  readonly behavior?: Partial<Behavior>;
  readonly architecture?: Architecture;
}

/** Decides everything the tape asks for, or says which facts are missing. */
export function setUp(
  run: RunSpec,
  given: ModelFacts | null,
  target: Target | null,
  injected: Injected = {},
): SetUp {
  const asker = new RunQuestions(run);
  const model = given ? languageModel(given) : supposeModel(asker);
  supposeTask(asker, model);
  const replicas = replicasOf(asker, target);
  supposeShare(asker, replicas);
  const undecided = supposeUncutLength(asker, model);
  checkScope(asker);
  if (model === null) asker.lack(modelPhrase(asker));
  const found = model && (injected.architecture ?? architectureOf(asker, model));
  const architecture = model && found && withTower(found, model);
  if (architecture !== found) asker.assume(null, picturesIn(asker));
  const placement = { replicas: ranksOfSlice(asker, replicas), target, behavior: injected.behavior };
  const memoryRun =
    model && architecture ? decide(asker, sliceOf(asker, model), architecture, placement) : null;
  const stages = memoryRun ? stagesOf(asker, memoryRun) : [];
  if (asker.missing.length > 0 || !memoryRun || !architecture) return { ok: false, missing: asker.missing };
  return { ok: true, plan: { memoryRun, architecture, assumptions: asker.assumptions, stages, undecided } };
}

/** Where the run goes. */
interface Placement {
  readonly replicas: number;
  readonly target: Target | null;
  readonly behavior: Partial<Behavior> | undefined;
}

function modelPhrase(asker: RunQuestions): string {
  const name = asker.value('model');
  return name === null ? 'the model' : `the architecture of ${name}`;
}

const usualArchitecture = ({ modelType }: ModelFacts): Architecture | undefined =>
  architectures.find(({ modelTypes }) => modelTypes.includes(modelType));

/** Megatron has one model for all decoders. */
const ownArchitecture = (asker: RunQuestions, { kind }: ModelFacts): Architecture | null =>
  profileOf(asker.run.framework).models === 'megatron' && kind === 'decoder' && !isInference(asker)
    ? megatronGpt
    : null;

function namedOrNearest(asker: RunQuestions, model: ModelFacts): Architecture | null {
  const named = ownArchitecture(asker, model) ?? usualArchitecture(model);
  const nearest = named ? null : nearestTo(model);
  if (nearest) asker.assume(null, `${model.modelType} works as the common decoder of its sizes`);
  return named ?? nearest;
}

function architectureOf(asker: RunQuestions, model: ModelFacts): Architecture | null {
  const architecture = namedOrNearest(asker, model);
  if (!architecture) return asker.lack(`the memory model of ${model.modelType} models`);
  const release = transformersOf(asker.run.framework, architecture.release);
  if (architecture.since !== undefined && compareReleases(release, architecture.since) < 0) {
    // Older code keeps other tensors for backward; what inference holds is the weights, the cache and the logits.
    if (isInference(asker)) {
      asker.assume(null, `${model.modelType} works as in transformers ${architecture.since}`);
    } else asker.lack(`the memory of ${model.modelType} in transformers ${release}`);
  }
  const head = headOf(asker, model);
  const isKnown = asker.value('task') !== null || asker.detail('head') !== null;
  if (isKnown && !architecture.heads.includes(head)) {
    asker.lack(`the memory of ${model.modelType} with a ${head} head`);
  }
  if (architecture.checkpoints === false && asker.value('gradientCheckpointing') === true) {
    asker.lack(`gradient checkpointing in ${model.modelType} models`);
  }
  if (architecture.checkpoints === 'ignored' && asker.value('gradientCheckpointing') === true) {
    asker.assume(null, `gradient checkpointing changes nothing: ${model.modelType} passes it over`);
  }
  if (profileOf(asker.run.framework).families?.has(model.modelType) === false) {
    asker.lack(`the memory of ${asker.run.framework.name}'s own code of ${model.modelType} models`);
  }
  for (const phrase of architecture.missing(model)) asker.lack(phrase);
  suppose(asker, architecture, model);
  return architecture;
}

/** What is taken for granted of such models. */
function suppose(asker: RunQuestions, architecture: Architecture, model: ModelFacts): void {
  for (const phrase of architecture.assumes?.(model) ?? []) asker.assume(null, phrase);
}

function decide(
  asker: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  where: Placement,
): MemoryRun | null {
  const run = runOf(asker, model, architecture, where);
  return run && placedBy(asker, architecture, run, where.target);
}

function runOf(
  asker: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  { replicas, target, behavior: injected }: Placement,
): MemoryRun | null {
  const head = headOf(asker, model);
  const engine = engineOf(asker);
  const serving = engine && servingOf(asker, engine, model, target);
  const shape = engine ? profilingPass(asker, engine, target) : batchOf(asker, { architecture, model, head });
  const numbers = underZero(asker, numbersOf(asker, model));
  const optimizer = optimizerOf(asker, architecture);
  const attention = attentionOf(asker, architecture, engine);
  const behavior = { ...behaviorIn(asker, model, architecture, attention), ...injected };
  const lora = loraOf(asker, model, behavior, numbers);
  if (!shape || !numbers || lora === undefined || optimizer === undefined) return null;
  const sharding = shardingOf(asker, architecture, { model, numbers, gpus: replicas, behavior });
  const layers = checkpointingOf(asker, behavior);
  return {
    model: asCoded(model, behavior),
    head,
    encoders: asker.detail('encoders') ?? 1,
    task: kindOf(asker),
    ...lengthened(shape, lora, behavior, cutsOf(asker).context),
    ...ranksIn(asker, model, behavior),
    ...besideIn(asker, model, numbers, lora),
    inFp8: asker.value('precision') === 'fp8' && profileOf(asker.run.framework).fp8 === 'keeps 8 bits',
    ...numbers,
    ...nearness(architecture),
    upcast: upcastOf(asker),
    lora: castAdapters(asker, lora, numbers),
    reference: referenceOf(asker),
    values: valuesOf(asker),
    frozen: false,
    partly: partlyOf(asker, model, architecture),
    ...layers,
    inputGradients: wantInputGradients(lora, layers.checkpointing),
    frozenParts: frozenPartsOf(asker),
    picturePixels: asker.detail('picturePixels'),
    segments: segmentsIn(asker, model),
    attention,
    hasFlash: hasFlash(target),
    behavior,
    optimizer,
    gradAccum: asker.value('gradAccum') ?? 1,
    ...evaluationOf(asker, head, shape),
    resumes: asker.detail('resumes') === true,
    merges: mergesOf(asker),
    replicas,
    sharding,
    spread: spreadOf(asker),
    serving,
    useCache: engine === null && (asker.detail('kvCache') ?? true),
    seen: prefixOf(lora),
    staticCache: asker.detail('staticCache') === true ? WHOLE : profileOf(asker.run.framework).staticCache,
    cacheDtype: cacheDtypeOf(asker),
    rollout: rolloutOf(asker, shape),
    logitsToKeep: logitsToKeepOf(asker, behavior, shape, serving),
  };
}

/** What the framework makes of segments that the config states. */
function segmentsIn(asker: RunQuestions, { modelType }: ModelFacts): Segments | null {
  const stated = asker.detail('checkpointSegments');
  return stated && profileOf(asker.run.framework).segments(modelType, stated);
}

/** What else has weights on the device. Of adapters a smoothed copy is as small as they are. */
const besideIn = (
  asker: RunQuestions,
  model: ModelFacts,
  numbers: Numbers,
  lora: MemoryRun['lora'],
): Pick<MemoryRun, 'beside' | 'averaged'> => ({
  beside: [...besideOf(asker, model, numbers), ...othersOf(asker, model, numbers)],
  averaged: asker.detail('averagedWeights') === true && lora === null && !isInference(asker),
});

/** How many ranks share what. */
function ranksIn(
  asker: RunQuestions,
  { experts }: ModelFacts,
  { sequenceParallel }: Behavior,
): Pick<MemoryRun, 'contextRanks' | 'sequenceRanks' | 'expertTensorRanks' | 'tensorRanks'> {
  const { context, tensor } = cutsOf(asker);
  return {
    contextRanks: context,
    sequenceRanks: sequenceParallel ? tensor : 1,
    expertTensorRanks: experts > 0 ? expertTensorOf(asker) : 1,
    tensorRanks: tensor,
  };
}

function behaviorIn(
  asker: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  attention: MemoryRun['attention'],
): Behavior {
  const { framework } = asker.run;
  const behavior = behaviorOf({
    framework,
    modelType: model.modelType,
    loss: asker.value('loss'),
    preference: comparesPairs(asker),
    policy: isPolicy(asker.value('task')),
    task: asker.value('task'),
    kernels: asker.detail('kernels') ?? [],
    attention,
    compile: asker.value('compile') === true,
    tensorRanks: cutsOf(asker).tensor,
    sequenceParallel: asker.detail('sequenceParallel'),
    expandableSegments: asker.detail('expandableSegments'),
    codeRelease: architecture.release,
  });
  if (!behavior.releaseStated) {
    asker.assume(null, `transformers ${transformersOf(framework, architecture.release)}`);
  }
  return behavior;
}

/** The config's words, where the framework's own code does as it likes. */
const asCoded = (model: ModelFacts, { fusesGelu, tiesHead }: Behavior): ModelFacts => ({
  ...model,
  activation: fusesGelu && model.activation === 'gelu_new' ? 'gelu' : model.activation,
  tiedEmbeddings: tiesHead && model.tiedEmbeddings,
});

/** A rank's part of rows with the virtual tokens before them; a mask where the framework makes one of their padding. */
function lengthened(
  shape: BatchShape,
  lora: LoraPlan | null,
  { masksPadding }: Behavior,
  ranks: number,
): BatchShape {
  const tokens = Math.ceil((shape.tokens + (lora?.virtualTokens ?? 0)) / ranks);
  return { ...shape, tokens, padded: shape.padded && masksPadding };
}

/** Checkpoints of frozen layers, and embeddings that are trained beside frozen ones. */
function wantInputGradients(lora: LoraPlan | null, checkpointing: MemoryRun['checkpointing']): boolean {
  return lora !== null && (checkpointing !== 'none' || (lora.virtualTokens ?? 0) > 0);
}

/** A prompt that is followed by generation needs its last token's logits only; an engine those of each sequence. */
function logitsToKeepOf(
  asker: RunQuestions,
  behavior: Behavior,
  { tokens, generated }: BatchShape,
  serving: Serving | null,
): number | null {
  if (serving) return Math.min(serving.sequences, tokens);
  if (behavior.formerCode && behavior.generation.promptLogits === 'all') return null;
  const own = generated > 0 && behavior.generation.promptLogits === 'last' ? 1 : null;
  return asker.detail('logitsToKeep') ?? scoredTokens(asker) ?? own;
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

function cacheDtypeOf(asker: RunQuestions): Element | null {
  const stated = asker.detail('kvCacheDtype');
  return stated === null ? null : (CACHE_DTYPES[stated] ?? null);
}

function upcastOf(asker: RunQuestions): MemoryRun['upcast'] {
  if (usesZero(asker)) return 'none';
  if (asker.detail('fp32Embeddings') === true) return 'outer';
  return asker.detail('kbitPrepare') ?? 'none';
}
