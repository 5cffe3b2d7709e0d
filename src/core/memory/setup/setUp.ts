import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import { valueOrNull } from '../../spec/maybe';
import type { RunSpec } from '../../spec/runSpec';
import type { Architecture } from '../architecture';
import { languageModel } from '../../models/languageModel';
import { withTower } from '../visionLanguage';
import { architectureOf, modelPhrase, picturesIn, supposeModel } from './model';
import { transformersOf } from '../frameworks/profileOf';
import { behaviorOf } from '../frameworks/behavior/behaviorOf';
import type { Behavior } from '../frameworks/behavior/behavior';
import { nearness } from '../nearest';
import type { LoraPlan } from '../adapterMethod';
import type { MemoryRun } from '../run';
import { loraOf } from './adapters';
import { RunQuestions } from './questions';
import { attentionOf, hasFlash, recomputeOf } from './recompute';
import { batchOf, pixelsPerRow, supposeUncutLength, supposeShare } from './batch';
import type { BatchShape } from './batch';
import { evaluationOf } from './evaluation';
import { trainingOf } from './training';
import { otherNetworksOf } from './otherModels';
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
  supposeTask,
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
  const chosen = optimizerOf(asker, architecture);
  const attention = attentionOf(asker, architecture, engine);
  const behavior = { ...behaviorIn(asker, model, architecture, attention), ...injected };
  const adapters = loraOf(asker, model, behavior, numbers);
  if (!shape || !numbers || adapters.kind === 'unknown' || chosen.kind === 'unknown') return null;
  const lora = valueOrNull(adapters);
  const optimizer = valueOrNull(chosen);
  const sharding = shardingOf(asker, architecture, { model, numbers, gpus: replicas, behavior });
  const { generated, ...batch } = lengthened(shape, lora, behavior, cutsOf(asker).context);
  return {
    model: asCoded(model, behavior),
    head,
    encoders: asker.detail('encoders') ?? 1,
    task: kindOf(asker),
    ...nearness(architecture),
    behavior,
    batch: { ...batch, picturePixels: pixelsPerRow(asker, model) },
    ranks: { replicas, sharding, ...ranksIn(asker, model, behavior) },
    otherModels: otherNetworksOf(asker, model, numbers),
    numbers: castNumbers(asker, numbers),
    training: trainingOf(asker, { model, architecture, optimizer, lora: castAdapters(asker, lora, numbers) }),
    recompute: recomputeOf(asker, model, behavior, lora),
    kernels: { attention, hasFlash: hasFlash(target) },
    evaluation: evaluationOf(asker, head, shape),
    devices: { spread: spreadOf(asker), placement: null },
    generation: generationOf(asker, { ...shape, generated }, { serving, engine, behavior, lora }),
  };
}

function behaviorIn(
  asker: RunQuestions,
  model: ModelFacts,
  architecture: Architecture,
  attention: MemoryRun['kernels']['attention'],
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
