import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

const SCRIPTS = 'examples/nlp/language_modeling';

export const nemoMegatronLaunch: readonly Launch[] = [
  {
    argv: [
      'torchrun',
      '--nproc_per_node={gpus}',
      `${SCRIPTS}/megatron_gpt_pretraining.py`,
      '--config-name={config}',
    ],
    tasks: ['pretrain'],
    source: `NeMo ${SCRIPTS}/megatron_gpt_pretraining.py: Hydra takes --config-path and --config-name`,
  },
  {
    argv: [
      'torchrun',
      '--nproc_per_node={gpus}',
      `${SCRIPTS}/tuning/megatron_gpt_finetuning.py`,
      '--config-name={config}',
    ],
    tasks: ['sft'],
    source: `NeMo ${SCRIPTS}/tuning/megatron_gpt_finetuning.py`,
  },
];

export const nemoMegatronLogs: readonly LogLine[] = [
  {
    pattern: String.raw`reduced_train_loss=(?<loss>[\d.e+-]+), global_step=(?<step>[\d.]+).*?train_step_timing in s=(?<secondsPerStep>[\d.]+)`,
    fields: ['loss', 'step', 'secondsPerStep'],
    example:
      'Epoch 0: 2%|2 | 20/1000 [00:40<32:40, v_num=0, reduced_train_loss=9.120, global_step=19.00, consumed_samples=5120.0, train_step_timing in s=1.980]',
    source: 'nemo/collections/nlp/models/language_modeling/megatron_gpt_model.py L1011',
  },
];
