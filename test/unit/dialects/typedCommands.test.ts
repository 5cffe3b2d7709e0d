import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { read } from './support';

async function runOf(line: string, files: Readonly<Record<string, string>> = {}): Promise<RunSpec> {
  const { runs } = await read({ 'run.sh': `#!/bin/bash\n${line}\n`, ...files }, 'run.sh');
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run;
}

const told = ({ dialect, quantities: { model, microBatchSize, imageSize, precision } }: RunSpec) => [
  dialect,
  model.value,
  microBatchSize.value,
  imageSize.value,
  precision.value,
];

describe('commands that people type', () => {
  it('are those of timm', async () => {
    const run = await runOf('torchrun --nproc_per_node=4 train.py /data --model resnet50 -b 128 --amp');
    assert.deepEqual(told(run), ['timm', 'resnet50', 128, [224, 224], 'fp16-mixed']);
    const sized = await runOf('python train.py /data --model resnet50 --input-size 3 288 288 -b 64');
    assert.deepEqual(told(sized), ['timm', 'resnet50', 64, [288, 288], 'fp32']);
  });

  it('are those of a script of one’s own, if it is there and imports nothing of timm', async () => {
    const { runs } = await read(
      { 'run.sh': 'python train.py /data --model resnet50 -b 128\n', 'train.py': 'import torch\n' },
      'run.sh',
    );
    assert.ok(runs.every(({ dialect }) => dialect !== 'timm'));
  });

  it('are those of torchvision’s references and of PyTorch’s ImageNet example', async () => {
    const own = await runOf(
      'torchrun --nproc_per_node=8 train.py --data-path /d --model resnet50 -b 64 --amp',
    );
    assert.deepEqual(told(own), ['torchvision-references', 'resnet50', 64, [224, 224], 'fp16-mixed']);
    const example = await runOf('python main.py -a resnet50 -b 256 --gpu 0 /imagenet');
    assert.deepEqual(told(example), ['pytorch-imagenet', 'resnet50', 256, [224, 224], 'fp32']);
  });

  it('are those of YOLOv5 and YOLOv7', async () => {
    const run = await runOf('python train.py --img 640 --batch 16 --data coco128.yaml --weights yolov5s.pt');
    assert.deepEqual(told(run), ['yolov5', 'yolov5s.pt', 16, [640, 640], 'fp16-mixed']);
    const two = await runOf(
      "python train.py --device 0,1 --batch-size 32 --cfg cfg/yolov7.yaml --weights ''",
    );
    assert.deepEqual(told(two), ['yolov5', 'cfg/yolov7.yaml', 16, [640, 640], 'fp16-mixed']);
  });

  it('are those of Megatron-Bridge’s performance recipes, which decide what is computed again', async () => {
    // scripts/performance/README.md, without the log folder and the token.
    const { dialect, quantities } = await runOf(
      'uv run python scripts/performance/setup_experiment.py --account a -i nvcr.io/nvidia/nemo:26.04 --partition p ' +
        '-m deepseek -mr deepseek_v3 --num_gpus 256 --gpus_per_node 4 -t 00:15:00 -g gb300 -c fp8_mx -mb 1 -tp 1 -pp 4 -ep 64',
    );
    const { model, gpus, precision, microBatchSize, gradientCheckpointing, parallel } = quantities;
    assert.equal(dialect, 'megatron-bridge-performance');
    assert.deepEqual(
      [model, gpus, precision, microBatchSize, gradientCheckpointing].map(({ value }) => value),
      ['deepseek-ai/DeepSeek-V3', 256, 'fp8', 1, null],
    );
    assert.equal(parallel.value?.expert, 64);
  });

  it('have configs by their paths on another machine', async () => {
    const config = 'base_model: a/b\nmicro_batch_size: 3\nsequence_len: 512\nadapter: lora\ndatasets: []\n';
    const run = await runOf('axolotl train /scratch/me/project/configs/a.yaml', { 'configs/a.yaml': config });
    assert.equal(run.quantities.microBatchSize.value, 3);
  });
});
