import { rolloutRoom } from '../memory/estimateRun';
import type { ServedRoom } from '../memory/estimate';
import type { RunSpec } from '../spec/runSpec';
import { formatBytes, grouped } from '../units';
import type { Report, Rule, RuleContext, SuggestedRemedy } from './rule';
import type { Say } from '../text/say';

/** An engine that writes completions on the training GPUs has to start in its share, like any server. */
export const colocatedEngine: Rule = {
  id: 'colocated-engine',
  severity: 'error',
  summary: "The engine next to training doesn't start: its share is too small, or is not free.",
  sources: [
    'trl 1.16 generation/vllm_generation.py: LLM(…, max_num_batched_tokens=4096) with vllm_gpu_memory_utilization',
    'nemo_rl/models/generation/vllm/vllm_worker.py: LLM(…, gpu_memory_utilization, enable_sleep_mode=True)',
    'verl trainer/config/rollout/rollout.yaml: gpu_memory_utilization, max_num_batched_tokens 8192, max_num_seqs 1024',
    'vllm v1/core/kv_cache_utils.py, _check_enough_kv_cache_memory',
  ],
  check(context) {
    const { run, model, target, memory } = context;
    const served = rolloutRoom(run, model, target, memory);
    if (served === null) return [];
    if (served.refusal === 'share') return [tooLarge(context.say, served)];
    return served.refusal !== null || served.sequences >= 1 ? [] : [tooSmall(context, served)];
  },
};

const AT = ['quantity:memoryShare', 'use_vllm', 'quantity:task'];

const setsShare = (title: string, to: number): SuggestedRemedy => ({
  title,
  changes: [{ detail: 'memoryShare', to }],
});

/** vLLM compares its share with what is free when it starts, before anything of it is taken. */
const tooLarge = (say: Say, { share, mostShare }: ServedRoom): Report => ({
  at: AT,
  message: say(
    'The engine refuses to start: less than its share {0} is free. Lower it to {1}.',
    share,
    mostShare,
  ),
  remedies: [setsShare(say("Lower the engine's share to {0}", mostShare), mostShare)],
});

function tooSmall({ run, estimate, say }: RuleContext, served: ServedRoom): Report {
  const { share, leastShare, context, weightsBytes, activationBytes } = served;
  const start = say(
    "The engine's share {0} holds no completion of {1} tokens: it takes {2} first.",
    share,
    grouped(context),
    formatBytes(weightsBytes + activationBytes),
  );
  if (leastShare === null) {
    const way = say('Use more GPUs, or GPUs with more memory.');
    return { at: AT, message: say('{0} {1}', start, way) };
  }
  const way = fitsBeside(run, estimate, leastShare - share)
    ? say('Raise it to {0}.', leastShare)
    : say('Raise it to {0}, and let the engine sleep while training.', leastShare);
  return {
    at: AT,
    message: say('{0} {1}', start, way),
    remedies: [setsShare(say("Raise the engine's share to {0}", leastShare), leastShare)],
  };
}

/** True if training leaves so much more of the GPU, or the engine sleeps meanwhile. */
function fitsBeside(run: RunSpec, estimate: RuleContext['estimate'], more: number): boolean {
  const device = estimate?.devices[0];
  const sleeps = run.details.engineSleeps?.value === true;
  if (sleeps || !device?.usableBytes || !device.capacityBytes) return true;
  return device.device.expected + more * device.capacityBytes <= device.usableBytes;
}
