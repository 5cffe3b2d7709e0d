import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import type { RunSpec } from '../../spec/runSpec';
import { compareReleases } from '../../spec/version';
import type { Architecture } from '../architecture';
import { architectures } from '../architectures/registry';
import { behaviourOf, transformersOf } from '../behaviours';
import type { Behaviour } from '../behaviours';
import type { Optimizer } from '../optimizer';
import { optimizers } from '../optimizers/registry';
import type { Head } from '../../spec/values';
import type { MemoryRun } from '../run';
import { loraOf } from './adapters';
import { Asker } from './asker';
import { batchOf, unpads } from './batch';
import { numbersOf } from './numbers';
import { checkScope, isPreference, replicasOf } from './scope';

/** A run ready for the tape, with what had to be assumed. */
export interface Plan {
  readonly memoryRun: MemoryRun;
  readonly architecture: Architecture;
  readonly assumptions: readonly string[];
}

export type SetUp =
  { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly missing: readonly string[] };

/** Decides everything the tape asks for, or says which facts are missing. */
export function setUp(run: RunSpec, model: ModelFacts | null, target: Target | null): SetUp {
  const asker = new Asker(run);
  const replicas = replicasOf(asker, target);
  checkScope(asker, replicas);
  if (model === null) asker.lack(modelPhrase(asker));
  const architecture = model && architectureOf(asker, model);
  const memoryRun = model && architecture ? decide(asker, model, architecture, replicas) : null;
  if (asker.missing.length > 0 || !memoryRun || !architecture) return { ok: false, missing: asker.missing };
  return { ok: true, plan: { memoryRun, architecture, assumptions: asker.assumptions } };
}

function modelPhrase(asker: Asker): string {
  const name = asker.value('model');
  return name === null ? 'the model' : `the architecture of ${name}`;
}

function architectureOf(asker: Asker, model: ModelFacts): Architecture | null {
  const architecture = architectures.find(({ modelTypes }) => modelTypes.includes(model.modelType));
  if (!architecture) return asker.lack(`the memory model of ${model.modelType} models`);
  const release = transformersOf(asker.run.framework);
  if (architecture.since !== undefined && compareReleases(release, architecture.since) < 0) {
    asker.lack(`the memory of ${model.modelType} in transformers ${release}`);
  }
  const head = headOf(asker);
  if (!architecture.heads.includes(head)) asker.lack(`the memory of ${model.modelType} with a ${head} head`);
  for (const phrase of architecture.missing(model)) asker.lack(phrase);
  return architecture;
}

function decide(
  asker: Asker,
  model: ModelFacts,
  architecture: Architecture,
  replicas: number,
): MemoryRun | null {
  const shape = batchOf(asker);
  const numbers = numbersOf(asker, model);
  const lora = loraOf(asker, model, numbers?.weightDtype ?? 'fp32');
  const optimizer = optimizerOf(asker);
  if (!shape || !numbers || lora === undefined || optimizer === undefined) return null;
  const attention = attentionOf(asker, architecture);
  const behaviour = behaviourOf({
    framework: asker.run.framework,
    modelType: model.modelType,
    loss: asker.value('loss'),
    kernels: asker.detail('kernels') ?? [],
    attention,
  });
  const checkpointing = checkpointingOf(asker, behaviour);
  return {
    model,
    head: headOf(asker),
    encoders: asker.detail('encoders') ?? 1,
    task: asker.value('task') === 'infer' ? 'infer' : 'train',
    ...shape,
    ...numbers,
    upcast: upcastOf(asker),
    lora,
    checkpointing,
    inputGradients: checkpointing !== 'none' && lora !== null,
    attention,
    behaviour,
    optimizer,
    gradAccum: asker.value('gradAccum') ?? 1,
    replicas,
    useCache: asker.detail('kvCache') ?? true,
    logitsToKeep: asker.detail('logitsToKeep'),
  };
}

function checkpointingOf(asker: Asker, { reentrant }: Behaviour): MemoryRun['checkpointing'] {
  if (asker.value('gradientCheckpointing') !== true) return 'none';
  return (asker.detail('reentrantCheckpointing') ?? reentrant) ? 'reentrant' : 'non-reentrant';
}

/** Which code computes attention. Kernels that are not known keep what FlashAttention keeps. */
function attentionOf(asker: Asker, architecture: Architecture): MemoryRun['attention'] {
  const word = asker.value('attention') ?? architecture.attention ?? 'sdpa';
  if (word === 'eager' || word === 'sdpa') return word;
  if (unpads(word)) return 'flash';
  return asker.assume('flash', `${word} keeps what FlashAttention keeps`);
}

function headOf(asker: Asker): Head {
  const stated = asker.detail('head');
  if (stated !== null) return stated;
  const task = asker.value('task');
  return HEADS[task ?? ''] ?? 'causal-lm';
}

const HEADS: Readonly<Record<string, Head>> = {
  reward: 'sequence-classification',
  sequence_classification: 'sequence-classification',
  token_classification: 'token-classification',
  mlm: 'masked-lm',
  embedding: 'base',
  contrastive: 'base',
  contrastive_embedding: 'base',
};

function upcastOf(asker: Asker): MemoryRun['upcast'] {
  if (asker.detail('fp32Embeddings') === true) return 'outer';
  return asker.detail('kbitPrepare') ?? 'none';
}

function optimizerOf(asker: Asker): Optimizer | null | undefined {
  if (asker.value('task') === 'infer') return null;
  const name = asker.needed('optimizer', 'the optimizer');
  if (name === null) return undefined;
  if (name === 'none') return null;
  const optimizer = optimizers.find(({ names }) => names.includes(name.toLowerCase()));
  if (!optimizer) asker.lack(`the states of the optimizer ${name}`);
  if (isPreference(asker.value('task'))) {
    asker.assume(0, 'log-probabilities of both sequences as in a language-model loss');
  }
  return optimizer;
}
