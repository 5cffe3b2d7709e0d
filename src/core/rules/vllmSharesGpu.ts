import { formatBytes, formatShare, MIB } from '../units';
import type { Rule, RuleContext } from './rule';
import { TRL } from './rule';
import { isOff, numberOf, textOf } from './raw';
import { atLeast, equals, on, when } from './when';

/** The default of vllm_gpu_memory_utilization. */
const DEFAULT_SHARE = 0.3;

export const vllmSharesGpu: Rule = {
  id: 'vllm-shares-gpu',
  severity: 'information',
  summary: 'vLLM runs on the training GPUs and reserves a share of their memory.',
  sources: [
    'trl 1.13 trainer/grpo_config.py: vllm_mode colocate (default since 1.0), vllm_gpu_memory_utilization 0.3',
  ],
  dialects: TRL,
  check: when([equals('task', 'grpo'), on('use_vllm'), colocated, isAwake], (_, context) => {
    const key = 'vllm_gpu_memory_utilization';
    const share = isOff(context, key) ? DEFAULT_SHARE : numberOf(context, key);
    const total = context.target?.totalMiB ?? null;
    const part = share === null ? context.say('a part') : formatShare(share);
    const message =
      share === null || total === null
        ? context.say(
            'vLLM takes {0} of each training GPU. vllm_enable_sleep_mode frees it while training; vllm_mode: server uses other GPUs.',
            part,
          )
        : context.say(
            'vLLM takes {0} of each training GPU ({1}). vllm_enable_sleep_mode frees it while training; vllm_mode: server uses other GPUs.',
            part,
            formatBytes(total * share * MIB),
          );
    return { at: ['use_vllm'], message };
  }),
};

function isAwake({ run }: RuleContext): boolean {
  return run.details.engineSleeps?.value !== true;
}

function colocated(context: RuleContext): boolean {
  const mode = textOf(context, 'vllm_mode');
  return (
    mode === 'colocate' || (mode === null && isOff(context, 'vllm_mode') && atLeast('trl', '1.0')(context))
  );
}
