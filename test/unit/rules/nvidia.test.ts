import { checkCase } from './cases';
import type { Case } from './cases';

const bridge = (model: number, data: number): string => `model:
  seq_length: ${model}
dataset:
  seq_length: ${data}
train:
  train_iters: 100
  global_batch_size: 32
scheduler:
  lr_warmup_iters: 10
`;

const automodel = (
  local: number,
  stages: number,
): string => `recipe: TrainFinetuneRecipeForNextTokenPrediction
step_scheduler:
  local_batch_size: ${local}
  global_batch_size: 64
model:
  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained
distributed:
  strategy: fsdp2
  pp_size: ${stages}
  pipeline:
    pp_microbatch_size: 2
`;

const cases: readonly Case[] = [
  {
    rule: 'megatron-bridge-lengths-differ',
    at: 'dataset.seq_length',
    fires: bridge(4096, 8192),
    silent: bridge(4096, 4096),
  },
  {
    rule: 'automodel-pipeline-batch',
    at: 'step_scheduler.local_batch_size',
    fires: automodel(4, 4),
    silent: automodel(8, 4),
    says: /fewer micro-batches \(2\) than the pipeline has stages \(4\)/,
  },
];

describe('rules about NVIDIA’s frameworks', () => {
  for (const one of cases) checkCase(one);
});
