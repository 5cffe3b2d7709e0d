import { fileOf, isOff, isOn } from './raw';
import { AXOLOTL, ON_TRAINER } from './rule';
import type { Rule, RuleContext } from './rule';
import { change, equals, exactly, is, on, quoted, setKey, when } from './when';

const NEEDING_KEYS = ['activation_offloading', 'selective_checkpointing'];

export const needsGradientCheckpointing: Rule = {
  id: 'needs-gradient-checkpointing',
  severity: 'error',
  summary: 'Activation offloading and selective checkpointing need `gradient_checkpointing`.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_activation_offloading_wo_gc, check_selective_checkpointing',
  ],
  dialects: AXOLOTL,
  check(context) {
    if (!isOff(context, 'gradient_checkpointing')) return [];
    return NEEDING_KEYS.filter(key => isOn(context, key)).map(key => ({
      at: [key],
      message: context.say(
        'Axolotl rejects {0} without gradient_checkpointing, which is off by default. Set gradient_checkpointing to true.',
        quoted(context, key),
      ),
      remedies: [setKey('gradient_checkpointing', true)],
    }));
  },
};

const DEEPSPEED_KEYS = [
  'partition_activations',
  'cpu_checkpointing',
  'contiguous_memory_optimization',
  'number_checkpoints',
];

export const deadCheckpointing: Rule = {
  id: 'dead-checkpointing',
  severity: 'warning',
  summary: 'Activation checkpointing in the DeepSpeed file has no effect on Hugging Face models.',
  sources: [
    'deepspeed runtime/activation_checkpointing: only models that call deepspeed.checkpointing.checkpoint use the section',
    "transformers docs, DeepSpeed: “Transformers models don't use deepspeed.checkpointing; use gradient_checkpointing”",
  ],
  dialects: ON_TRAINER,
  check({ run, say }) {
    const deepspeed = fileOf(run, 'deepspeed');
    if (!deepspeed || run.quantities.gradientCheckpointing.value !== false) return [];
    const set = DEEPSPEED_KEYS.find(key => isOn(deepspeed, `activation_checkpointing.${key}`));
    if (set === undefined) return [];
    const message = say(
      "`activation_checkpointing.{0}` does nothing: Hugging Face models don't call it. Only DeepSpeed's own layers do, so activations are kept in full. Turn on gradient checkpointing instead.",
      set,
    );
    const at = ['deepspeed:activation_checkpointing', 'deepspeed'];
    const remedies = [
      change(say('Turn on gradient checkpointing'), { quantity: 'gradientCheckpointing', to: true }),
    ];
    return [{ at, message, remedies }];
  },
};

const KEY = 'gradient_checkpointing_kwargs.use_reentrant';

export const zero3QloraReentrant: Rule = {
  id: 'zero3-qlora-reentrant',
  severity: 'warning',
  summary: 'QLoRA under ZeRO-3 with non-reentrant checkpointing can stop with a CheckpointError.',
  sources: ['axolotl 0.18 utils/schemas/validation.py warn_qlora_zero3_w_use_reentrant'],
  dialects: AXOLOTL,
  check: when(
    [is('adapter', 'qlora'), on('deepspeed'), equals('zeroStage', 3), exactly(KEY, false)],
    (quote, { say }) => ({
      at: [KEY],
      message: say(
        'QLoRA under ZeRO-3 with {0} may stop with a CheckpointError. Recomputed tensors differ in shape from the gathered ones. Set use_reentrant to true.',
        quote(KEY),
      ),
      remedies: [setKey(KEY, true)],
    }),
  ),
};

export const distributedRlReentrant: Rule = {
  id: 'distributed-rl-reentrant',
  severity: 'error',
  summary: 'Preference training of QLoRA on several GPUs needs non-reentrant checkpointing.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_rl_config_gradient_checkpointing'],
  dialects: AXOLOTL,
  check: when(
    [
      severalGpus,
      on('rl', 'gradient_checkpointing', 'load_in_4bit'),
      is('adapter', 'qlora'),
      exactly(KEY, true),
    ],
    (quote, { run, say }) => ({
      at: [KEY],
      message: say(
        'On {0} GPUs, Axolotl rejects {1} with {2} and QLoRA. Set use_reentrant to false.',
        run.quantities.gpus.value ?? '',
        quote(KEY),
        quote('rl'),
      ),
      remedies: [setKey(KEY, false)],
    }),
  ),
};

function severalGpus({ run }: RuleContext): boolean {
  return (run.quantities.gpus.value ?? 1) > 1;
}
