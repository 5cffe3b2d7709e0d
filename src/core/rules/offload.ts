import type { ModelFacts } from '../models/model';
import { basename } from '../text/paths';
import { formatBytes, formatCount, formatRange } from '../units';
import { numberOf, textOf } from './raw';
import type { Rule, RuleContext } from './rule';
import { quoted, when } from './when';
import { ownOf } from '../yaml/tables';
import type { Say } from '../text/say';

/** The paths of the same two settings in DeepSpeed's file and in accelerate's. */
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
    const place = ownOf(PLACES, context.run.dialect);
    const device = place && textOf(context, place.device);
    const stage = place && numberOf(context, place.stage);
    if (!place || (device !== 'cpu' && device !== 'nvme') || typeof stage !== 'number' || stage >= 3) {
      return [];
    }
    const message = context.say(
      '{0} does nothing at ZeRO stage {1}, which keeps all parameters on every GPU. Use stage 3 to offload them.',
      quoted(context, place.device),
      stage,
    );
    return [{ at: [place.device], message }];
  },
};

const RATIO = 'zero_optimization.offload_optimizer.ratio';
const STAGE = 'zero_optimization.stage';

export const partialOffload: Rule = {
  id: 'partial-offload',
  severity: 'error',
  summary: 'Partial optimizer offload needs ZeRO-3.',
  sources: [
    'deepspeed 0.19 runtime/zero/config.py L389: “Partial offloading only supported for ZeRO Stage 3.”',
  ],
  dialects: ['deepspeed'],
  check: when([partial, belowStage3], (quote, { say }) => ({
    at: [RATIO],
    message: say('DeepSpeed rejects {0} below stage 3. Use stage 3, or offload all of it.', quote(RATIO)),
  })),
};

function partial(context: RuleContext): boolean {
  return (numberOf(context, RATIO) ?? 1) < 1;
}
function belowStage3(context: RuleContext): boolean {
  return (numberOf(context, STAGE) ?? 3) < 3;
}

/** fp32 master weight and two fp32 moments, as DeepSpeed's CPU Adam keeps them. */
const BYTES_PER_PARAMETER = 12;

export const optimizerOffloadHostMemory: Rule = {
  id: 'optimizer-offload-host-memory',
  severity: 'information',
  summary: 'The optimizer is offloaded to the CPU, so host RAM must hold its states.',
  sources: [
    'axolotl 0.18 deepspeed_configs/zero2.json: offload_optimizer.device cpu (zero1, zero3 and zero3_bf16 do not offload)',
    'deepspeed ops/adam/cpu_adam.py; ZeRO-Offload, arXiv 2101.06840: 12 bytes per parameter of states',
  ],
  check({ run, model, say }) {
    const { offload, method, zeroStage } = run.quantities;
    // The states of adapters are negligible.
    if (offload.value?.optimizer !== 'cpu' || zeroStage.value === null || method.value !== 'full') return [];
    const file = run.sources.find(source => source.dialect === 'deepspeed' && source.via.kind !== 'config');
    const needs = hostNeeds(say, model);
    const message = file
      ? say(
          'The optimizer is offloaded to the CPU by {0}: every step waits for it. {1} If GPU memory allows, a config without offload is faster.',
          basename(file.path),
          needs,
        )
      : say(
          'The optimizer is offloaded to the CPU: every step waits for it. {0} If GPU memory allows, a config without offload is faster.',
          needs,
        );
    return [{ at: ['deepspeed', 'quantity:offload'], message }];
  },
};

/** `The machines need about 96 GB of host memory in all (12 bytes × 8.03 B parameters).` */
function hostNeeds(say: Say, model: ModelFacts | null): string {
  const total = model?.parameters?.total ?? model?.publishedTotal ?? null;
  return total === null
    ? say('The machines need {0} bytes of host memory per parameter, over all of them.', BYTES_PER_PARAMETER)
    : say(
        'The machines need about {0} of host memory in all ({1} bytes × {2} parameters).',
        formatBytes(total * BYTES_PER_PARAMETER),
        BYTES_PER_PARAMETER,
        formatCount(total),
      );
}

export const hostMemory: Rule = {
  id: 'host-memory',
  severity: 'warning',
  summary: 'The run needs more host RAM than the machine has.',
  sources: [
    'DeepSpeed 0.19 runtime/zero/stage3.py estimate_zero3_model_states_mem_needs: 16 to 18 bytes a parameter on the CPU, times 1.5',
    'transformers modeling_utils.py from_pretrained: without a device map weights are made on the CPU, in every process',
  ],
  check({ estimate, say }) {
    const host = estimate?.host ?? null;
    const capacity = host?.capacityBytes ?? null;
    if (host === null || capacity === null || host.bytes.expected <= capacity) return [];
    const [largest] = host.terms.toSorted((a, b) => b.bytes.expected - a.bytes.expected);
    const { low, expected, high } = host.bytes;
    const message = say(
      'Needs ≈ {0} of host RAM, and the machine has {1}. Between {2}, most of it for {3} ({4}). The system ends a process that takes more, mostly without a message. Offload less, or use a machine with more RAM.',
      formatBytes(expected),
      formatBytes(capacity),
      formatRange(low, high),
      largest?.term ?? say('its processes'),
      largest?.formula ?? '',
    );
    return [{ at: ['quantity:offload', 'quantity:zeroStage', 'quantity:fsdp', 'quantity:model'], message }];
  },
};
