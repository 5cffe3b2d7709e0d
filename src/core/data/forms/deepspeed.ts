import { line } from './line';

const amounts = {
  allocated: { what: 'MemAllocated', unit: 'GiB' },
  maxAllocated: { what: 'MaxMemAllocated', unit: 'GiB' },
} as const;

/** DeepSpeed's engine, and DeepSpeed-Chat on top of it. */
export const deepspeedForms = [
  line({
    start: String.raw`\[Rank \d+\] step=(?<step>{}), skipped=\d+, lr=\[(?<learningRate>{})`,
    example: '[Rank 0] step=10, skipped=4, lr=[4.998e-05, 4.998e-05], mom=[(0.9, 0.95), (0.9, 0.95)]',
    source: 'deepspeed runtime/engine.py _report_progress',
  }),
  line({
    start: String.raw`epoch=(?<epoch>{})/micro_step=\d+/global_step=(?<step>{}), `,
    parts: {
      samplesPerSecond: 'CurrSamplesPerSec={}',
      allocated: String.raw`\bMemAllocated={}GB`,
      maxAllocated: 'MaxMemAllocated={}GB',
    },
    memory: amounts,
    example:
      'epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70, MemAllocated=4.32GB, MaxMemAllocated=38.49GB',
    source: 'deepspeed utils/timer.py ThroughputTimer.stop',
  }),
  line({
    start: String.raw`(?:\bCurrSamplesPerSec=(?<samplesPerSecond>{}), )?\bMemAllocated=(?<allocated>{})GB, MaxMemAllocated=(?<maxAllocated>{})GB`,
    memory: amounts,
    example: 'CurrSamplesPerSec=25.70, MemAllocated=4.32GB, MaxMemAllocated=38.49GB',
    source: 'the same, its first half cut or wrapped',
  }),
  line({
    start: String.raw`\[timer\.py:\d+:stop\] \d+/(?<step>{}), `,
    parts: {
      samplesPerSecond: 'CurrSamplesPerSec={}',
      samplesPerSecond2: String.raw`\bSamplesPerSec={}`,
    },
    example: '[timer.py:154:stop] 0/10, SamplesPerSec=8.31',
    source: 'deepspeed utils/timer.py up to 0.6',
  }),
  line({
    start: String.raw`\[Rank \d+\] Loss: (?<loss>{})`,
    example: '__main__:log_dist:54 - [Rank 0] Loss: 10.8766',
    source: 'DeepSpeedExamples training/HelloDeepSpeed/train_bert_ds.py',
  }),
  line({
    start: String.raw`\bMA (?<allocated>{}) GB\s+Max_MA (?<maxAllocated>{}) GB\s+CA (?<reserved>{}) GB\s+Max_CA (?<maxReserved>{}) GB`,
    memory: {
      allocated: { what: 'MA', unit: 'GiB' },
      maxAllocated: { what: 'Max_MA', unit: 'GiB' },
      reserved: { what: 'CA', unit: 'GiB' },
      maxReserved: { what: 'Max_CA', unit: 'GiB' },
    },
    example: 'MA 5.53 GB         Max_MA 8.61 GB         CA 9.07 GB         Max_CA 9 GB',
    source: 'deepspeed runtime/utils.py see_memory_usage',
  }),
  line({
    start: String.raw`\bthroughput: (?<samplesPerSecond>{}) samples/s, lr: (?<learningRate>{}), loss: (?<loss>{})`,
    parts: { allocated: 'cuda_mem_allocated: {} GB' },
    memory: { allocated: { what: 'cuda_mem_allocated', unit: 'GiB' } },
    example:
      'throughput: 161.8 samples/s, lr: 1.3e-05, loss: 0.84 cuda_mem_allocated: 22.45 GB cuda_malloc_retries: 0',
    source: 'instructlab/training main_ds.py: divides by 1024^3',
  }),
  line({
    start: String.raw`\bCPU Virtual Memory:\s+used = (?<memory>{}) GB`,
    memory: { memory: { what: 'CPU Virtual Memory', unit: 'GiB' } },
    example: 'CPU Virtual Memory:  used = 47.62 GB, percent = 9.5%',
    source: 'deepspeed runtime/utils.py see_memory_usage',
  }),
  line({
    start: String.raw`epoch: (?<epoch>{})\|step: (?<step>{})\|ppo_ep: \d+\|act_loss: (?<loss>{})`,
    example: 'epoch: 0|step: 8|ppo_ep: 1|act_loss: 0.2315|cri_loss: 0.1354|unsuper_loss: 0.0',
    source: 'DeepSpeed-Chat step3_rlhf_finetuning/main.py',
  }),
  line({
    start: String.raw`\|CurSamplesPerSec=(?<samplesPerSecond>{})`,
    example: '|Others=0.23 (5.98%)|CurSamplesPerSec=16.31 |AvgSamplesPerSec=14.76',
    source: 'DeepSpeed-Chat dschat/utils/perf.py',
  }),
];
