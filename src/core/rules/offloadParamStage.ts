import type { Rule, RuleContext } from './rule';
import { numberOf, textOf } from './raw';
import { quoted } from './when';

/** Where DeepSpeed's own file and accelerate's keep the same two settings. */
const PLACES: Readonly<Record<string, { readonly device: string; readonly stage: string }>> = {
  deepspeed: { device: 'zero_optimization.offload_param.device', stage: 'zero_optimization.stage' },
  accelerate: { device: 'deepspeed_config.offload_param_device', stage: 'deepspeed_config.zero_stage' },
};

export const offloadParamStage: Rule = {
  id: 'offload-param-stage',
  severity: 'warning',
  summary: 'Parameters are only offloaded by ZeRO-3.',
  sources: [
    'deepspeed docs, offload_param: “This feature is only supported with ZeRO stage 3”',
    'deepspeed 0.19 runtime/zero/config.py offload_param',
  ],
  dialects: ['deepspeed', 'accelerate'],
  check(context: RuleContext) {
    const place = PLACES[context.run.dialect];
    const device = place && textOf(context, place.device);
    const stage = place && numberOf(context, place.stage);
    if (!place || (device !== 'cpu' && device !== 'nvme') || typeof stage !== 'number' || stage >= 3) {
      return [];
    }
    const message =
      `${quoted(context, place.device)} does nothing at ZeRO stage ${stage}, which keeps all parameters on every GPU. ` +
      'Use stage 3 to offload them.';
    return [{ at: [place.device], message }];
  },
};
