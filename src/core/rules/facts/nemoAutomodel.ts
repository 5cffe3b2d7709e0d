import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `recipe: TrainFinetuneRecipeForNextTokenPrediction
step_scheduler:
  global_batch_size: 64
  local_batch_size: 8
model:
  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained
  pretrained_model_name_or_path: meta-llama/Llama-3.2-1B
distributed:
  strategy: fsdp2
  tp_size: 1
optimizer:
  _target_: torch.optim.AdamW
`;

const staged = (strategy: string): string =>
  BASE.replace(
    'strategy: fsdp2\n',
    `strategy: ${strategy}\n  pp_size: 2\n  pipeline:\n    pp_microbatch_size: 1\n`,
  );

/** Pitfalls of NeMo Automodel; sources are files of NVIDIA-NeMo/Automodel 36044ad (0.5.0). */
export const nemoAutomodelFacts: Facts = {
  dialects: ['nemo-automodel'],
  facts: [
    {
      id: 'automodel-qat-with-adapters',
      severity: 'error',
      summary: "Quantization-aware training doesn't work with adapters.",
      when: { on: ['qat.enabled'], stated: ['peft'] },
      at: ['qat.enabled', 'peft'],
      message: template('{qat.enabled} with a peft section raises a ValueError. Remove one of them.'),
      meaning: 'Fake quantization is added to linear layers, but adapters replace those layers.',
      advice: 'Train all weights with QAT, or train adapters without QAT.',
      source: 'recipes/llm/train_ft.py L220: “QAT with PEFT is not currently supported”',
      example: `${BASE}qat:\n  enabled: true\npeft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n  dim: 8\n`,
      counterexample: `${BASE}qat:\n  enabled: false\npeft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n  dim: 8\n`,
    },
    {
      id: 'automodel-pipeline-megatron-fsdp',
      severity: 'error',
      summary: "Pipeline stages don't work with Megatron’s FSDP.",
      when: { is: { 'distributed.strategy': ['megatron_fsdp'] }, above: { 'distributed.pp_size': 1 } },
      at: ['distributed.strategy', 'distributed.pp_size'],
      message: template(
        '{distributed.strategy} is rejected with {distributed.pp_size}: the recipe fails an assertion. Use fsdp2.',
      ),
      meaning: 'Only FSDP 2 and DDP work with a pipeline.',
      advice: 'Set `distributed.strategy: fsdp2`. The quick fix does this.',
      set: { key: 'distributed.strategy', to: 'fsdp2' },
      source:
        'recipes/llm/train_ft.py L564: “MegatronFSDPConfig is not supported when pipeline parallelism is enabled”',
      example: staged('megatron_fsdp'),
      counterexample: staged('fsdp2'),
    },
    {
      id: 'automodel-pipeline-unused',
      severity: 'warning',
      summary: 'The `pipeline` section is ignored without pipeline stages.',
      when: { stated: ['distributed.pipeline'], below: { 'distributed.pp_size': 2 } },
      at: ['distributed.pipeline'],
      message: template(
        '{distributed.pipeline} needs pipeline stages, and {distributed.pp_size} sets none. Raise pp_size, or remove the section.',
      ),
      meaning:
        'Then its micro-batches and schedule have no effect, and the memory is that of the local batch.',
      advice: 'Set `distributed.pp_size` to the number of stages.',
      source: 'recipes/_dist_utils.py L184-193: “block ignored”',
      example: staged('fsdp2').replace('pp_size: 2', 'pp_size: 1'),
      counterexample: staged('fsdp2'),
    },
    {
      id: 'automodel-pipeline-missing',
      severity: 'error',
      summary: 'Pipeline stages need a `pipeline` section.',
      when: { above: { 'distributed.pp_size': 1 }, absent: ['distributed.pipeline'] },
      at: ['distributed.pp_size'],
      message: template(
        '{distributed.pp_size} needs a section distributed.pipeline: the recipe stops without one.',
      ),
      meaning: 'The schedule and the micro-batches of a pipeline have no defaults.',
      advice: 'Add `distributed.pipeline` with `pp_microbatch_size` and a schedule.',
      source: 'recipes/_dist_utils.py L190: pp_size > 1 with no pipeline block is an error',
      example: BASE.replace('strategy: fsdp2\n', 'strategy: fsdp2\n  pp_size: 2\n'),
      counterexample: staged('fsdp2'),
    },
  ],
};
