import type { GuessName } from '../calibration';
import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import { valueOrNull } from '../../spec/maybe';
import type { RunSpec } from '../../spec/runSpec';
import type { Architecture } from '../architecture';
import type { ServedRoom } from '../estimate';
import { NO_SHARDING } from '../words';
import { languageModel } from '../../models/languageModel';
import { withTower } from '../blocks/images/tower';
import { architectureOf, headsOf, lackModel, nearness, picturesIn, supposeModel } from './model';
import { transformersOf } from '../frameworks/profileOf';
import { behaviorOf } from '../frameworks/behavior/behaviorOf';
import type { Behavior } from '../frameworks/behavior/behavior';
import type { LoraPlan } from '../adapterMethod';
import type { MemoryRun } from '../run';
import { loraOf } from './adapters';
import { RunQuestions } from './questions';
import { attentionOf, hasFlash, recomputeOf } from './recompute';
import { batchOf, pixelsPerRow, supposeUncutLength, supposeShare } from './batch';
import type { BatchShape } from './batch';
import { evaluationOf } from './evaluation';
import { supposeTask } from './supposedTask';
import { trainingOf } from './training';
import { otherNetworksOf } from './otherModels';
import { pipelineOf, validationPicture } from './pipeline';
import { castNumbers, numbersOf } from './numbers';
import { engineOf, generationOf, profilingPass, servingOf } from './generation';
import { placedBy } from './placement';
import {
  checkScope,
  replicasOf,
  spreadOf,
  comparesPairs,
  headOf,
  kindOf,
  optimizerOf,
  isPolicy,
} from './task';
import {
  cutsOf,
  ranksIn,
  ranksOfSlice,
  sliceOf,
  stagesOf,
  castAdapters,
  shardingOf,
  underZero,
} from './sharding';
import type { Doubt, Unanswered } from '../estimate';

/** A run ready for the tape, with its assumptions. */
export interface Plan {
  readonly memoryRun: MemoryRun;
  readonly architecture: Architecture;
  readonly assumptions: readonly string[];
  readonly doubts: readonly Doubt[];
  /** The pipeline ranks that may need the most; without a pipeline, the run itself. */
  readonly stages: readonly MemoryRun[];
  /** A decisive value was assumed: the estimate gives no verdict. */
  readonly undecided: boolean;
  /** Values that were guessed and may be quite different: the interval is wide, without a verdict. */
  readonly guessed: readonly GuessName[];
  /** The start of the engine next to training; absent: none, or it can't be told. */
  readonly engineRoom?: ServedRoom;
}

export type SetUp = { readonly ok: true; readonly plan: Plan } | Unanswered;

/** Facts that only a measurement of the run has; they replace derived ones. */
export interface Injected {
  readonly behavior?: Partial<Behavior>;
  readonly architecture?: Architecture;
}

/** Resolves all inputs of the tape, or returns the missing facts. */
export function setUp(
  run: RunSpec,
  given: ModelFacts | null,
  target: Target | null,
  injected: Injected = {},
): SetUp {
  const questions = new RunQuestions(run);
  const model = given ? languageModel(given) : supposeModel(questions);
  supposeTask(questions, model, headsOf(questions, model));
  const replicas = replicasOf(questions, target);
  supposeShare(questions, replicas);
  const undecided = supposeUncutLength(questions, model);
  checkScope(questions);
  if (model === null) lackModel(questions);
  const found = model && (injected.architecture ?? architectureOf(questions, model));
  const architecture = model && found && withTower(found, model);
  if (architecture !== found) questions.assume(null, picturesIn(questions));
  const placement = { replicas: ranksOfSlice(questions, replicas), target, behavior: injected.behavior };
  const memoryRun =
    model && architecture ? decide(questions, sliceOf(questions, model), architecture, placement) : null;
  const stages = memoryRun ? stagesOf(questions, memoryRun) : [];
  if (questions.missing.length > 0 || !memoryRun || !architecture) {
    return { ok: false, missing: questions.missing, gaps: questions.gaps };
  }
  return {
    ok: true,
    plan: {
      memoryRun,
      architecture,
      assumptions: questions.assumptions,
      doubts: questions.doubts,
      stages,
      undecided: [undecided, questions.guessed.length > 0].some(Boolean),
      guessed: questions.guessed,
    },
  };
}

/** True if a fully trained model on several GPUs may be sharded by its launcher. */
const mayBeSharded = (
  { launched, startedBy }: RunSpec,
  { task, training: { lora }, ranks: { replicas, sharding } }: MemoryRun,
): boolean =>
  task === 'train' && lora === null && replicas > 1 && sharding === null && !launched && !startedBy?.agree;

/** The target of a run. */
interface Placement {
  readonly replicas: number;
  readonly target: Target | null;
  readonly behavior: Partial<Behavior> | undefined;
}

function decide(
  questions: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  where: Placement,
): MemoryRun | null {
  const run = runOf(questions, model, architecture, where);
  if (run && mayBeSharded(questions.run, run)) {
    questions.assume(null, NO_SHARDING);
    questions.doubts.push('unsharded');
  }
  return run && placedBy(questions, architecture, run, where.target);
}

function runOf(
  questions: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  { replicas, target, behavior: injected }: Placement,
): MemoryRun | null {
  const head = headOf(questions, model);
  const engine = engineOf(questions);
  const serving = engine && servingOf(questions, engine, model, target);
  const shape = engine
    ? profilingPass(questions, engine, model, target)
    : batchOf(questions, { architecture, model, head });
  const numbers = underZero(questions, numbersOf(questions, model));
  const chosen = optimizerOf(questions, architecture);
  const attention = attentionOf(questions, architecture, engine);
  const behavior = { ...behaviorIn(questions, model, architecture, attention), ...injected };
  const adapters = loraOf(questions, model, behavior, numbers);
  if (!shape || !numbers || adapters.kind === 'unknown' || chosen.kind === 'unknown') return null;
  const lora = valueOrNull(adapters);
  const optimizer = valueOrNull(chosen);
  const sharding = shardingOf(questions, architecture, { model, numbers, gpus: replicas, behavior });
  const others = otherNetworksOf(questions, model, numbers);
  const { generated, ...batch } = lengthened(shape, lora, behavior, cutsOf(questions).context);
  return {
    model: withFrameworkCode(model, behavior),
    head,
    encoders: questions.detail('encoders') ?? 1,
    task: kindOf(questions),
    ...nearness(architecture),
    behavior,
    batch: { ...batch, picturePixels: pixelsPerRow(questions, model) },
    ranks: { replicas, sharding, ...ranksIn(questions, model, behavior) },
    otherModels: others,
    ...pipelineOf(questions, model, numbers),
    numbers: castNumbers(questions, numbers),
    training: trainingOf(questions, {
      model,
      architecture,
      optimizer,
      lora: castAdapters(questions, lora, numbers),
    }),
    recompute: recomputeOf(questions, model, behavior, lora),
    kernels: { attention, hasFlash: hasFlash(target) },
    evaluation: evaluationOf(
      questions,
      head,
      shape,
      validationPicture(questions, model, { numbers, others }),
    ),
    devices: { spread: spreadOf(questions), placement: null },
    generation: generationOf(questions, { ...shape, generated }, { serving, engine, behavior, lora }),
  };
}

function behaviorIn(
  questions: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  attention: MemoryRun['kernels']['attention'],
): Behavior {
  const { framework } = questions.run;
  const behavior = behaviorOf({
    framework,
    modelType: model.modelType,
    loss: questions.value('loss'),
    preference: comparesPairs(questions),
    policy: isPolicy(questions.value('task')),
    task: questions.value('task'),
    kernels: questions.detail('kernels') ?? [],
    attention,
    compile: questions.value('compile') === true,
    tensorRanks: cutsOf(questions).tensor,
    sequenceParallel: questions.detail('sequenceParallel'),
    expandableSegments: questions.detail('expandableSegments'),
    codeRelease: architecture.release,
  });
  if (!behavior.releaseStated && model.network === undefined) {
    questions.assume(null, `transformers ${transformersOf(framework, architecture.release)}`);
  }
  return { ...behavior, generation: { ...behavior.generation, ...architecture.generates?.(model) } };
}

/** The config's settings, overridden by the framework's own code. */
const withFrameworkCode = (model: ModelFacts, { fusesGelu, tiesHead }: Behavior): ModelFacts => ({
  ...model,
  activation: fusesGelu && model.activation === 'gelu_new' ? 'gelu' : model.activation,
  tiedEmbeddings: tiesHead && model.tiedEmbeddings,
});

/** A rank's part of rows, including virtual tokens; with a mask if the framework creates one for their padding. */
function lengthened(
  shape: BatchShape,
  lora: LoraPlan | null,
  { masksPadding }: Behavior,
  ranks: number,
): BatchShape {
  const tokens = Math.ceil((shape.tokens + (lora?.virtualTokens ?? 0)) / ranks);
  return { ...shape, tokens, padded: shape.padded && masksPadding };
}
