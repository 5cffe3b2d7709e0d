import { estimateRun } from '../memory/estimateRun';
import type { ServedRoom } from '../memory/estimate';
import { frameworkIdOf } from '../spec/frameworkId';
import type { Quantity } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import { formatBytes, grouped } from '../units';
import { keysIn, numberOf, ownLayers } from './raw';
import type { Report, Rule, RuleContext } from './rule';

/** Where a framework says how its engine starts, in order of preference. */
interface EngineKeys {
  readonly share: readonly string[];
  readonly tensor: string;
  readonly length: string;
  readonly sequences: string;
  readonly tokens: string;
  /** Tokens of a pass, if the framework sets them itself. */
  readonly ownTokens?: number;
}

const KEYS: Readonly<Record<string, EngineKeys>> = {
  'hf-trl': {
    share: ['vllm_gpu_memory_utilization', 'use_vllm'],
    tensor: 'vllm_tensor_parallel_size',
    length: 'vllm_max_model_length',
    sequences: '',
    tokens: '',
    ownTokens: 4096,
  },
  verl: {
    share: ['actor_rollout_ref.rollout.gpu_memory_utilization'],
    tensor: 'actor_rollout_ref.rollout.tensor_model_parallel_size',
    length: 'actor_rollout_ref.rollout.max_model_len',
    sequences: 'actor_rollout_ref.rollout.max_num_seqs',
    tokens: 'actor_rollout_ref.rollout.max_num_batched_tokens',
    ownTokens: 8192,
  },
  openrlhf: {
    share: ['vllm.gpu_memory_utilization', 'vllm_gpu_memory_utilization'],
    tensor: 'vllm_tensor_parallel_size',
    length: '',
    sequences: '',
    tokens: '',
  },
};

/** An engine that writes completions on the training GPUs has to start in its share, like any server. */
export const colocatedEngine: Rule = {
  id: 'colocated-engine',
  severity: 'error',
  summary: "The engine next to training doesn't start: its share holds less than one completion.",
  sources: [
    'trl 1.16 generation/vllm_generation.py: LLM(…, max_num_batched_tokens=4096) with vllm_gpu_memory_utilization',
    'verl trainer/config/rollout/rollout.yaml: gpu_memory_utilization, max_num_batched_tokens 8192, max_num_seqs 1024',
    'vllm v1/core/kv_cache_utils.py, _check_enough_kv_cache_memory',
  ],
  dialects: Object.keys(KEYS),
  check(context) {
    const keys = KEYS[context.run.dialect];
    const { details } = context.run;
    const share = details.memoryShare?.value ?? details.sleepingShare?.value ?? null;
    if (!keys || share === null || share <= 0) return [];
    const served = engineStart(context, share);
    return served === null || served.refusal !== null || served.sequences >= 1
      ? []
      : [report(context, keys, served)];
  },
};

/**
 * The start of the engine next to training with this share, as if it served the model alone; null if it cannot be
 * told.
 */
export function engineStart(
  { run, model, target }: Pick<RuleContext, 'run' | 'model' | 'target'>,
  share: number,
): ServedRoom | null {
  const keys = KEYS[run.dialect];
  if (!keys || model === null || target === null) return null;
  const result = estimateRun(engineRun(run, keys, share), model, target);
  return result.ok ? (result.estimate.devices.find(({ served }) => served)?.served ?? null) : null;
}

function engineRun(run: RunSpec, keys: EngineKeys, share: number): RunSpec {
  const own = keysIn(ownLayers(run));
  const stated = (key: string): number | null => (key === '' ? null : numberOf(own, key));
  const said = <T>(value: T | null): Quantity<T> => ({ value, origin: run.quantities.task.origin });
  const tensor = stated(keys.tensor) ?? 1;
  const parallel = { tensor, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
  const length = stated(keys.length);
  return {
    ...run,
    framework: { id: frameworkIdOf(VLLM), name: VLLM, version: run.framework.libraries?.['vllm'] ?? null },
    quantities: {
      ...run.quantities,
      task: said('infer'),
      loadDtype: said<'bf16'>('bf16'),
      quantization: said<never>(null),
      lora: said<never>(null),
      parallel: said(tensor > 1 ? parallel : null),
      zeroStage: said<never>(null),
      fsdp: said<never>(null),
      offload: said<never>(null),
      ...(length !== null && { seqLen: said(length) }),
    },
    details: {
      memoryShare: said(share),
      kvCache: said(true),
      maxSequences: said(stated(keys.sequences)),
      prefillTokens: said(stated(keys.tokens) ?? keys.ownTokens ?? null),
    },
  };
}

const VLLM = 'vllm';

function report({ run, estimate }: RuleContext, keys: EngineKeys, served: ServedRoom): Report {
  const { share, leastShare, context, weightsBytes, activationBytes } = served;
  const start = `The engine's share ${share} holds no completion of ${grouped(context)} tokens: it takes ${formatBytes(weightsBytes + activationBytes)} first.`;
  const leaves = leastShare !== null && fitsBeside(run, estimate, leastShare - share);
  const way =
    leastShare === null
      ? 'Use more GPUs, or GPUs with more memory.'
      : `Raise it to ${leastShare}${leaves ? '' : ', and let the engine sleep while training'}.`;
  return {
    at: [...keys.share, 'quantity:task'],
    message: `${start} ${way}`,
    ...(leastShare !== null && {
      remedies: [
        {
          title: `Raise the engine's share to ${leastShare}`,
          changes: [{ detail: 'memoryShare' as const, to: leastShare }],
        },
      ],
    }),
  };
}

/** True if training leaves so much more of the GPU, or the engine sleeps meanwhile. */
function fitsBeside(run: RunSpec, estimate: RuleContext['estimate'], more: number): boolean {
  const device = estimate?.devices[0];
  const sleeps = typeof run.details.sleepingShare?.value === 'number';
  if (sleeps || !device?.usableBytes || !device.capacityBytes) return true;
  return device.device.expected + more * device.capacityBytes <= device.usableBytes;
}
