import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `seed_everything: 1
trainer:
  accelerator: gpu
  devices: 2
  precision: 16-mixed
model:
  class_path: a.Task
data:
  class_path: a.DataModule
  init_args:
    batch_size: 4
`;

const withTrainer = (lines: string): string => BASE.replace('  devices: 2\n', `  devices: 2\n${lines}`);

const deepspeed = (config: string): string =>
  withTrainer(`  strategy:
    class_path: lightning.pytorch.strategies.DeepSpeedStrategy
    init_args:
      stage: 2
      config:
${config}`);

/** Pitfalls of Lightning's Trainer; sources are files of Lightning-AI/pytorch-lightning 7f0c343. */
export const lightningFacts: Facts = {
  dialects: ['lightning-cli', 'hydra'],
  facts: [
    {
      id: 'lightning-deepspeed-accumulates',
      severity: 'error',
      summary: "Lightning rejects gradient accumulation in DeepSpeed's config.",
      when: { stated: ['trainer.strategy.init_args.config.gradient_accumulation_steps'] },
      at: ['trainer.strategy.init_args.config.gradient_accumulation_steps'],
      message: template(
        '{trainer.strategy.init_args.config.gradient_accumulation_steps} raises a MisconfigurationException. Set trainer.accumulate_grad_batches instead, also with DeepSpeed.',
      ),
      meaning: 'Lightning sets this key from the Trainer and rejects a config that has it.',
      advice: 'Remove the key, and set `trainer.accumulate_grad_batches`.',
      source: 'pytorch/strategies/deepspeed.py L923-928',
      example: deepspeed('        gradient_accumulation_steps: 4\n'),
      counterexample: deepspeed('        zero_allow_untested_optimizer: true\n'),
    },
    {
      id: 'lightning-deepspeed-micro-batch',
      severity: 'information',
      summary: "DeepSpeed's micro-batch size only affects its throughput log: the DataLoader decides.",
      when: { stated: ['trainer.strategy.init_args.config.train_micro_batch_size_per_gpu'] },
      at: ['trainer.strategy.init_args.config.train_micro_batch_size_per_gpu'],
      message: template(
        '{trainer.strategy.init_args.config.train_micro_batch_size_per_gpu} does not set the batch size. The DataLoader does; DeepSpeed only uses this number to log its throughput.',
      ),
      meaning: 'Batches come from the data module. The key in DeepSpeed’s config only affects its log.',
      advice: 'Change the batch size of the data module.',
      source: 'pytorch/strategies/deepspeed.py L929-931',
      example: deepspeed('        train_micro_batch_size_per_gpu: 4\n'),
      counterexample: deepspeed('        zero_allow_untested_optimizer: true\n'),
    },
    {
      id: 'lightning-cpu-half',
      severity: 'warning',
      summary: 'On the CPU `16-mixed` silently becomes `bf16-mixed`.',
      when: { is: { 'trainer.accelerator': ['cpu'], 'trainer.precision': ['16-mixed', '16'] } },
      at: ['trainer.precision'],
      message: template(
        '{trainer.precision} is replaced. On the CPU Lightning trains with bf16-mixed, whose numbers differ. Write bf16-mixed, or train on a GPU.',
      ),
      meaning: 'AMP in fp16 does not exist on the CPU. Lightning uses bfloat16 and prints a warning.',
      advice: 'Set `trainer.precision: bf16-mixed`, or use an accelerator that supports fp16.',
      source: 'pytorch/trainer/connectors/accelerator_connector.py L478-483',
      example: BASE.replace('accelerator: gpu', 'accelerator: cpu'),
      counterexample: BASE,
    },
    {
      id: 'lightning-runs-on-cpu',
      severity: 'information',
      summary: 'The Trainer runs on the CPU and needs no GPU memory.',
      when: { is: { 'trainer.accelerator': ['cpu'] } },
      at: ['trainer.accelerator'],
      message: template(
        '{trainer.accelerator} trains on the CPU: no GPU is used. If that is left from a default, choose gpu.',
      ),
      meaning:
        'Templates contain a Trainer that runs everywhere. Unless a config chooses another, it trains on the CPU.',
      advice: 'Set `trainer.accelerator: gpu`, or choose a Trainer that does (`trainer=gpu`).',
      source: 'ashleve/lightning-hydra-template bddbc24 configs/trainer/default.yaml; trainer.py L94',
      example: BASE.replace('accelerator: gpu', 'accelerator: cpu'),
      counterexample: BASE,
    },
    {
      id: 'lightning-strategy-as-accelerator',
      severity: 'error',
      summary: 'The accelerator names a strategy: Lightning 2 rejects it.',
      when: {
        is: { 'trainer.accelerator': ['ddp', 'ddp2', 'dp', 'ddp_spawn', 'ddp_sharded', 'horovod'] },
        since: { lightning: '2.0' },
      },
      at: ['trainer.accelerator'],
      message: template(
        "{trainer.accelerator} hasn't been an accelerator since Lightning 1.6. Set accelerator to gpu and write this as strategy.",
      ),
      meaning: 'Lightning 1.4 and older accepted strategies under this name. Now the Trainer stops.',
      advice: 'Write `accelerator: gpu` and `strategy: ddp`.',
      source: 'pytorch/trainer/connectors/accelerator_connector.py, _check_config_and_set_final_flags',
      example: BASE.replace('accelerator: gpu', 'accelerator: ddp'),
      counterexample: withTrainer('  strategy: ddp\n'),
    },
    {
      id: 'lightning-data-parallel',
      severity: 'error',
      summary: 'Lightning 2.0 removed the strategies dp and ddp2.',
      when: { is: { 'trainer.strategy': ['dp', 'ddp2', 'ddp_sharded'] }, since: { lightning: '2.0' } },
      at: ['trainer.strategy'],
      message: template(
        '{trainer.strategy} is unknown to Lightning 2: the Trainer stops. Use ddp, or fsdp to shard.',
      ),
      meaning: 'Lightning 2.0 removed DataParallel, ddp2 and the sharded strategies of FairScale.',
      advice: 'Set `trainer.strategy: ddp`. `fsdp` replaces `ddp_sharded`.',
      source: 'Lightning 2.0 changelog: removed strategies; strategies’ registry',
      example: withTrainer('  strategy: dp\n'),
      counterexample: withTrainer('  strategy: ddp\n'),
    },
  ],
};

const CLI_BASE = `trainer:
  accelerator: gpu
  devices: 2
model:
  class_path: a.Task
data:
  class_path: a.DataModule
`;

/** Errors of Lightning's CLI only; sources are files of Lightning-AI/pytorch-lightning 7f0c343. */
export const lightningCliFacts: Facts = {
  dialects: ['lightning-cli'],
  facts: [
    {
      id: 'lightning-device-misspelt',
      severity: 'warning',
      summary: 'The Trainer has no `device`: the key is `devices`.',
      when: { stated: ['trainer.device'], absent: ['trainer.devices'] },
      at: ['trainer.device'],
      message: template(
        "{trainer.device} isn't an argument of the Trainer, which rejects it: write devices.",
      ),
      meaning: 'The Trainer counts GPUs with `devices`; it has no argument `device`.',
      advice: 'Write `trainer.devices`.',
      source: 'pytorch/trainer/trainer.py L94-97',
      example: CLI_BASE.replace('devices: 2', 'device: 2'),
      counterexample: CLI_BASE,
    },
  ],
};
