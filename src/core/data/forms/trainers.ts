import { bar, line } from './line';

const mib = (what: string) => ({ what, unit: 'MiB' }) as const;

/** Bars whose ends say more than the bar: what diffusers' examples and those who copied their loop print. */
export const diffusersBar = bar({
  parts: { learningRate: 'lr={}', loss: String.raw`(?<!\w)(?:step_|train_)?loss={}` },
  example: 'Steps:   1%|▏  | 10/1000 [00:20<33:00,  2.0s/it, loss=0.123, lr=1e-5]',
  source: 'diffusers examples/*/train_*.py: progress_bar.set_postfix',
});

/** DDSP-SVC, and the projects that its saver was copied into. */
export const ddspForm = line({
  start: String.raw`epoch: (?<epoch>{}) \|\s+\d+/\s*\d+ \| .{1,200}? \| batch/s: (?<stepsPerSecond>{}) \|`,
  parts: {
    learningRate: String.raw`(?<!\w)lr: {}`,
    loss: String.raw`(?<!\w)loss: {}`,
    step: String.raw`\| step: {}`,
  },
  example:
    'epoch: 3 |  10/120 | exp/test | batch/s: 3.21 | lr: 0.0005 | loss: 0.412 | time: 0:00:31 | step: 370',
  source: 'yxlllc/DDSP-SVC train.py, solver.py: saver.log_info',
});

/** tinygrad's trainers count first, and name what a number is behind it. */
const tinygradForm = line({
  start: String.raw`^\s{0,10}(?<step>{}) (?<secondsPerStep>{}) s run,(?:.{1,200}?,)? (?<loss>{}) loss,`,
  parts: { learningRate: String.raw`{} LR\b` },
  example: '   10 4.40 s run, 4.40 ms python, 11.8750 loss, 0.000000000005 LR, 1454.57 GB used, 394520.83 GFLOPS',
  source: 'tinygrad examples/mlperf/model_train.py',
});

/** Dora's LogProgress: Demucs, AudioCraft. */
export const doraForms = [
  line({
    start: String.raw`\bTrain \| Epoch (?<epoch>{}) \| (?<step>{})/(?<steps>{}) \| (?<stepsPerSecond>{}) it/sec`,
    parts: { loss: String.raw`\|\s+(?:Loss|ce) {}` },
    example: 'Train | Epoch 1 | 200/2000 | 2.10 it/sec | Loss 0.1250',
    source: 'facebookresearch/dora log.py LogProgress',
  }),
  line({
    start: String.raw`\bTrain \| Epoch (?<epoch>{}) \| (?<step>{})/(?<steps>{}) \| (?<secondsPerStep>{}) sec/it`,
    parts: { loss: String.raw`\|\s+(?:Loss|ce) {}` },
    example: 'Train | Epoch 1 | 200/2000 | 12.1 sec/it | Loss 0.1250',
    source: 'facebookresearch/dora log.py LogProgress: where a step takes more than ten seconds',
  }),
];

/** GraphGym's loggers. */
export const graphgymForm = line({
  start: String.raw`\btrain: \{'epoch': (?<epoch>{}), `,
  parts: {
    loss: String.raw`'loss': {}`,
    learningRate: String.raw`'lr': {}`,
  },
  example:
    "train: {'epoch': 1291, 'time_epoch': 18.93798, 'loss': 0.02500516, 'lr': 0.00029223, 'params': 423717, 'time_iter': 0.0605}",
  source: 'pyg-team/pytorch_geometric graphgym/logger.py',
});

/** SwissArmyTransformer: CogVideo, CogVLM, VisualGLM. */
export const satForm = line({
  start: String.raw`\biteration\s+(?<step>{})/\s*(?<steps>{}) \| elapsed time per iteration \(ms\): (?<millisecondsPerStep>{}) \| learning rate (?<learningRate>{}) \|`,
  parts: { loss: 'total loss {}' },
  example:
    'iteration      100/    1000 | elapsed time per iteration (ms): 3210.4 | learning rate 1.000E-05 | total loss 1.234567E-01 | loss 1.2E-01 |speed 18.69 samples/(min*GPU)',
  source: 'THUDM/SwissArmyTransformer sat/training/utils.py report_iteration_metrics',
});

/** ClassyVision's and VISSL's log hook. */
export const visslForm = line({
  start: String.raw`\bRank: \d+; \[ep: (?<epoch>{})\] iter: (?<step>{});`,
  parts: {
    learningRate: String.raw`\blr: {}`,
    loss: String.raw`\bloss: {}`,
    millisecondsPerStep: String.raw`btime\(ms\): {}`,
    eta: String.raw`\beta: {t}`,
    memory: String.raw`peak_mem\(M\): {}`,
  },
  memory: { memory: mib('peak_mem(M)') },
  example: 'Rank: 0; [ep: 0] iter: 5; lr: 0.1; loss: 6.91; btime(ms): 812; eta: 1:10:12; peak_mem(M): 9017;',
  source: 'facebookresearch/vissl vissl/hooks/log_hooks.py LogLossLrEtaHook',
});

/** Dassl: CoOp and its kin. */
export const dasslForm = line({
  start: String.raw`\bepoch \[(?<epoch>{})/\d+\]\[(?<step>{})/(?<steps>{})\]\s+time (?<secondsPerStep>{})`,
  parts: {
    eta: String.raw`\beta {t}`,
    loss: String.raw`(?<!\w)loss {}`,
    learningRate: String.raw`(?<!\w)lr {}`,
  },
  example:
    'epoch [1/50][5/10]	time 0.301 (0.412)	data 0.000 (0.081)	eta 0:03:21	loss 1.2345 (1.3012)	acc 62.5 (60.1)	lr 2.0000e-03',
  source: 'KaiyangZhou/Dassl.pytorch dassl/engine/trainer.py TrainerX.run_epoch',
});

/** OpenPCDet without its bar. */
export const openpcdetForm = line({
  start: String.raw`\bTrain:\s+(?<epoch>{})/\d+ \(\s*\d+%\) \[\s*(?<step>{})/(?<steps>{}) \(\s*\d+%\)\]`,
  parts: { loss: 'Loss: {}', learningRate: 'LR: {}' },
  example:
    'Train:    1/80 (  1%) [  50/463 ( 11%)]  Loss: 2.812 (3.21)  LR: 1.000e-03  Time cost: 00:31/04:12 [00:31/5:40:10]  Acc_iter 50',
  source: 'open-mmlab/OpenPCDet tools/train_utils/train_utils.py train_one_epoch',
});

/** X-Decoder and SEEM. */
export const xdecoderForm = line({
  start: String.raw`\bepochs\[\s*(?<epoch>{})\] optim steps\[(?<step>{})(?:/\d+)?\]`,
  parts: {
    learningRate: String.raw`learning rate\[[^:\]]{1,60}: {}`,
    loss: String.raw`train loss\[[^:\]]{1,60}: {}`,
    samplesPerSecond: String.raw`items per second\[{}`,
    memory: String.raw`memory\[{}`,
  },
  memory: { memory: mib('memory') },
  example:
    'epochs[     0] optim steps[100] learning rate[default: 1.00000e-04] train loss[loss_mask_bce_0: 0.31234/0.41234] items per batch[16] items per second[1.21] total items[1600] mini batches[   100] memory[21345] epoch remaining[3:12:01]',
  source: 'microsoft/X-Decoder trainer/default_trainer.py',
});

/** WeSpeaker's table: epoch, batch, learning rate, margin, loss, accuracy. */
export const wespeakerForm = line({
  start: String.raw`[|│]\s+(?<epoch>\d+)\s*[|│]\s+(?<step>\d+)\s*[|│]\s*(?<learningRate>{})\s*[|│]\s*[\d.]+\s*[|│]\s*(?<loss>{})\s*[|│]\s*[\d.]+\s*[|│]`,
  example: '|         1|       100|   0.00312|         0|    9.8412|      0.15|',
  source: 'wenet-e2e/wespeaker wespeaker/utils/executor.py run_epoch: tp.row',
});

/** Stable-Baselines3's table; a step of it is one of the environments. */
export const sb3Forms = [
  line({
    start: String.raw`\|\s+total_timesteps\s+\| (?<step>{})\s+\|`,
    example: '|    total_timesteps      | 501760     |',
    source: 'stable_baselines3/common/logger.py HumanOutputFormat',
  }),
  line({
    start: String.raw`\|\s+fps\s+\| (?<samplesPerSecond>{})\s+\|`,
    example: '|    fps                  | 3779       |',
    source: 'stable_baselines3/common/logger.py: environment steps per second',
  }),
  line({
    start: String.raw`\|\s+learning_rate\s+\| (?<learningRate>{})\s+\|`,
    example: '|    learning_rate        | 0.0003     |',
    source: 'stable_baselines3/common/logger.py HumanOutputFormat',
  }),
  line({
    start: String.raw`\|\s+loss\s+\| (?<loss>{})\s+\|`,
    example: '|    loss                 | 0.992      |',
    source: 'stable_baselines3/common/logger.py HumanOutputFormat',
  }),
];

/** StyleTTS 2 and the trainers that print `Epoch [1/10], Step [2/20], Mel Loss: …`. */
export const styleTtsForm = line({
  start: String.raw`\bEpoch \[(?<epoch>{})/\d+\], Step \[(?<step>{})/(?<steps>{})\], (?:Mel )?Loss: (?<loss>{})`,
  example: 'Epoch [1/200], Step [10/412], Mel Loss: 0.51234, Gen Loss: 1.20000, Disc Loss: 3.90000',
  source: 'yl4579/StyleTTS2 train_first.py',
});

/** GPT-SoVITS' second stage, after its `Train Epoch` line: `[losses…, global_step, lr]` or words. */
export const sovitsForm = line({
  start: String.raw`\bTrain Epoch: (?<epoch>{}) \[{}%\]`,
  example: 'INFO:mymodel:Train Epoch: 3 [40%]',
  source: 'RVC-Boss/GPT-SoVITS GPT_SoVITS/s2_train.py',
});

/** FuxiCTR, at the end of each epoch. */
export const fuxictrForms = [
  line({
    start: String.raw`\bTrain loss: (?<loss>{})\s*$`,
    example: '2020-03-23 02:36:55,621 P1433 INFO Train loss: 0.380686',
    source: 'reczoo/FuxiCTR fuxictr/pytorch/models/rank_model.py train_epoch',
  }),
  line({
    start: String.raw`\*{6,} Epoch=(?<epoch>{}) end \*{6,}`,
    example: '2020-03-23 02:36:55,621 P1433 INFO ************ Epoch=1 end ************',
    source: 'reczoo/FuxiCTR fuxictr/pytorch/models/rank_model.py fit',
  }),
];

/** TorchDrug scripts, at the end of each epoch. */
export const torchdrugForm = line({
  start: String.raw`\baverage (?:binary cross entropy|cross entropy|mean squared error|mse|loss): (?<loss>{})`,
  example: 'average binary cross entropy: 0.412',
  source: 'DeepGraphLearning/torchdrug torchdrug/core/meter.py; DeepGraphLearning/NBFNet script/run.py',
});

/** Levanter's bars are lines of a log: tqdm-loggable. */
export const levanterForms = (
  [
    ['stepsPerSecond', 'it/s', '2.1'],
    ['secondsPerStep', 's/it', '3.4'],
  ] as const
).map(([field, unit, rate]) =>
  line({
    start: String.raw`\bProgress on:train .{0,80}?rate:(?<${field}>{})${unit}`,
    parts: { eta: 'remaining:{t}', loss: String.raw`postfix:.*?loss=\s?{}` },
    example: `Progress on:train 1.20kit/10.0kit rate:${rate}${unit} remaining:1:09:50 elapsed:09:31 postfix:loss=3.12`,
    source: 'tqdm-loggable tqdm_logging.py, as levanter callbacks.pbar_logger uses it',
  }),
);

/** llama.cpp, and LocalAI and ollama with it: what lies on which device. */
export const llamacppForms = [
  line({
    start: String.raw`\b(?:CUDA|ROCm|Vulkan|SYCL|Metal)\d*(?:_Mapped)? model buffer size =\s+(?<memory>{}) MiB`,
    memory: { memory: mib('weights') },
    example: 'load_tensors:        CUDA0 model buffer size =  8168.77 MiB',
    source: 'llama.cpp src/llama-model.cpp load_tensors',
  }),
  line({
    start: String.raw`\b(?:CUDA|ROCm|Vulkan|SYCL|Metal)\d* KV buffer size =\s+(?<memory>{}) MiB`,
    memory: { memory: mib('kv-cache') },
    example: 'llama_kv_cache: CUDA0 KV buffer size = 640.00 MiB',
    source: 'llama.cpp src/llama-kv-cache.cpp',
  }),
  line({
    start: String.raw`\b(?:CUDA|ROCm|Vulkan|SYCL|Metal)\d* compute buffer size =\s+(?<memory>{}) MiB`,
    memory: { memory: mib('compute') },
    example: 'sched_reserve:      CUDA0 compute buffer size =  2860.00 MiB',
    source: 'llama.cpp src/llama-context.cpp sched_reserve',
  }),
];

/** NeMo 2 prints its bar as lines. */
const nemoForm = line({
  start: String.raw`\bTraining epoch (?<epoch>{}), iteration \d+/(?<steps2>{}) \|`,
  parts: {
    step: 'global_step: {}',
    loss: 'reduced_train_loss: {}',
    learningRate: String.raw`(?<!\w)lr: {}`,
    secondsPerStep: 'train_step_timing in s: {}',
    gradNorm: 'grad_norm: {}',
  },
  example:
    'Training epoch 0, iteration 17/99 | lr: 2.699e-06 | global_batch_size: 128 | global_step: 17 | reduced_train_loss: 11.03 | train_step_timing in s: 12.64 | grad_norm: 1.2 | consumed_samples: 2304',
  source: 'NeMo 2 nemo/lightning/pytorch/callbacks/progress_printer.py',
});

/** LTX-Video-Trainer, where its bars are off. */
export const ltxForm = line({
  start: String.raw`\bStep (?<step>{})/(?<steps>{}) - Loss: (?<loss>{}), LR: (?<learningRate>{}), Time/Step: (?<secondsPerStep>{})s`,
  example: 'Step 20/2000 - Loss: 0.1234, LR: 1.00e-04, Time/Step: 1.20s, Total Time: 0h 40m',
  source: 'Lightricks/LTX-Video-Trainer src/ltxv_trainer/trainer.py',
});

/** LeRobot, whose `ep` counts episodes; the rest of its line is read by its words. */
export const lerobotForm = line({
  start: String.raw`\bsmpl:\S{1,12} ep:\S{1,12} epch:(?<epoch>{})`,
  parts: { gradNorm: String.raw`\bgrdn:{}` },
  example: 'step:10K smpl:80K ep:291 epch:3.64 loss:0.061 grdn:3.214 lr:1.0e-05 updt_s:0.799 data_s:0.001',
  source: 'LeRobot src/lerobot/utils/logging_utils.py MetricsTracker',
});

export const trainersForms = [
  lerobotForm,
  ddspForm,
  tinygradForm,
  ...doraForms,
  graphgymForm,
  satForm,
  visslForm,
  dasslForm,
  openpcdetForm,
  xdecoderForm,
  wespeakerForm,
  styleTtsForm,
  ...levanterForms,
  ...llamacppForms,
  nemoForm,
  ltxForm,
];
