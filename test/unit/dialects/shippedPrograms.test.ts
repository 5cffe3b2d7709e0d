import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import tables from '../../../src/core/dialects/shipped/torchtune.json';
import { applied, read } from './support';

/** The only run of a command in a script, as a user types it. */
async function runOf(command: string, files: Readonly<Record<string, string>> = {}): Promise<RunSpec> {
  const { runs } = await read({ 'w/run.sh': `${command}\n`, ...files }, 'w/run.sh');
  assert.equal(runs.length, 1, command);
  return runs[0] ?? assert.fail(command);
}

async function notesOf(command: string, files: Readonly<Record<string, string>> = {}) {
  const { notes } = await read({ 'w/run.sh': `${command}\n`, ...files }, 'w/run.sh');
  return notes.map(({ code, message, at }) => `${code} ${at.path}: ${message}`);
}

const FULL = 'tune run --nproc_per_node 4 full_finetune_distributed --config llama3_1/8B_full batch_size=4';
const LORA =
  'tune run lora_finetune_single_device --config llama3_1/8B_lora_single_device batch_size=8 gradient_accumulation_steps=4';

describe('dialects: configs that torchtune has by name', () => {
  it('are read beneath the overrides of a command', async () => {
    const { dialect, quantities } = await runOf(FULL);
    assert.equal(dialect, 'torchtune');
    assert.equal(quantities.model.value, 'torchtune.models.llama3_1.llama3_1_8b');
    assert.equal(quantities.microBatchSize.value, 4);
    assert.equal(quantities.microBatchSize.origin.kind, 'file');
    assert.equal(quantities.gpus.value, 4);
    assert.equal(quantities.gradientCheckpointing.value, true);
    assert.deepEqual(quantities.gradientCheckpointing.origin, {
      kind: 'default',
      framework: 'torchtune',
      version: tables.version,
      source: 'recipes/configs/llama3_1/8B_full.yaml',
    });
    assert.equal(quantities.fsdp.value?.strategy, 'FULL_SHARD');
  });

  it('say what is trained', async () => {
    const { quantities } = await runOf(LORA);
    assert.equal(quantities.method.value, 'lora');
    assert.equal(quantities.gradAccum.value, 4);
    assert.deepEqual(quantities.lora.value?.targets, [
      ...['q_proj', 'v_proj', 'o_proj'],
      ...['gate_proj', 'up_proj', 'down_proj'],
    ]);
  });

  it('give way to a file of that name', async () => {
    const own = 'model:\n  _component_: torchtune.models.qwen2_5.qwen2_5_3b\nbatch_size: 1\ndtype: bf16\n';
    const { quantities } = await runOf(FULL.replace(' batch_size=4', ''), { 'w/llama3_1/8B_full': own });
    assert.equal(quantities.model.value, 'torchtune.models.qwen2_5.qwen2_5_3b');
    const { origin } = quantities.microBatchSize;
    assert.equal(origin.kind === 'file' && origin.at.file, 'w/llama3_1/8B_full');
  });

  it('that torchtune does not have are missing files', async () => {
    assert.match(
      (await notesOf(FULL.replace('8B_full', '9B_full'))).join(),
      /names llama3_1\/9B_full, not found/,
    );
    const { quantities } = await runOf(FULL.replace('8B_full', '9B_full'));
    assert.equal(quantities.microBatchSize.value, 4);
    assert.equal(quantities.gradientCheckpointing.value, null);
  });

  it('are changed by a word of the command', async () => {
    const files = { 'w/run.sh': `${LORA}\n` };
    const { runs } = await read(files);
    const run = runs[0] ?? assert.fail();
    const changed = editsFor(run, [{ quantity: 'gradientCheckpointing', to: false }]);
    assert.ok(changed.ok);
    assert.match(
      applied(files, changed.edits)['w/run.sh'] ?? '',
      /gradient_accumulation_steps=4 enable_activation_checkpointing=false\n$/i,
    );
  });

  it('are all whole: what a config lacks is not filled in from others', () => {
    assert.ok(Object.keys(tables.configs).length > 100);
    const mistral: Readonly<Record<string, unknown>> = tables.configs['mistral/7B_full'];
    assert.equal(mistral['model.lora_attn_modules'], null);
  });
});

describe('dialects: LitGPT’s subcommands', () => {
  const cases = [
    [
      'litgpt finetune_lora meta-llama/Llama-3.1-8B --train.micro_batch_size 4 --precision bf16-true',
      'lora',
      4,
    ],
    ['litgpt finetune checkpoints/meta-llama/Llama-3.1-8B', 'lora', 1],
    ['litgpt finetune_full checkpoints/meta-llama/Llama-3.1-8B --train.micro_batch_size 2', 'full', 2],
    ['python -m litgpt finetune_lora a/b-1B --quantize bnb.nf4 --precision bf16-true', 'qlora', 1],
    ['litgpt pretrain pythia-160m --train.micro_batch_size 8', 'full', 8],
    ['litgpt finetune_adapter checkpoints/a/b-1B', null, 1],
  ] as const;
  for (const [command, method, batch] of cases) {
    it(`are read with their functions’ defaults: ${command}`, async () => {
      const { dialect, quantities } = await runOf(command);
      assert.equal(dialect, 'litgpt');
      assert.equal(quantities.method.value, method);
      assert.equal(quantities.microBatchSize.value, batch);
      const model = /(?:lora|adapter|full|finetune|pretrain) ([\w./-]+)/.exec(command)?.[1];
      assert.equal(quantities.model.value, model);
      assert.equal(quantities.model.origin.kind, 'file');
    });
  }

  it('have a global batch each', async () => {
    assert.equal((await runOf('litgpt pretrain pythia-160m')).quantities.globalBatchSize.value, 512);
    const { quantities } = await runOf('litgpt finetune_lora a/b-1B');
    assert.equal(quantities.gradAccum.value, 16);
    assert.match(
      quantities.microBatchSize.origin.kind === 'default' ? quantities.microBatchSize.origin.source : '',
      /finetune\/lora\.py setup\(\)/,
    );
  });

  it('take a file over them, and flags over the file', async () => {
    const files = {
      'w/c.yaml': 'checkpoint_dir: a/b-1B\nlora_r: 32\ntrain:\n  micro_batch_size: 6\n  epochs: 1\n',
    };
    const { quantities } = await runOf('litgpt finetune_lora --config c.yaml --lora_alpha 64', files);
    assert.equal(quantities.lora.value?.r, 32);
    assert.equal(quantities.lora.value.alpha, 64);
    assert.equal(quantities.microBatchSize.value, 6);
    assert.equal(quantities.globalBatchSize.value, 16);
  });
});

describe('dialects: a command whose config is not there', () => {
  const COCO = 'configs/faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py';
  const cases = [
    [`python tools/train.py ${COCO}`, 'openmmlab', COCO],
    [`mim train mmdet ${COCO} --gpus 4`, 'openmmlab', COCO],
    [`bash tools/dist_train.sh ${COCO} 8`, 'openmmlab', COCO],
    [
      'python train_net.py --config-file configs/COCO-Detection/faster_rcnn_R_50_FPN_1x.yaml SOLVER.IMS_PER_BATCH 16',
      'detectron2',
      'configs/COCO-Detection/faster_rcnn_R_50_FPN_1x.yaml',
    ],
    ['litgpt finetune_full --config gone.yaml', 'litgpt', 'gone.yaml'],
  ] as const;
  for (const [command, dialect, file] of cases) {
    it(`says which file it is: ${command}`, async () => {
      const run = await runOf(command);
      assert.equal(run.dialect, dialect);
      assert.equal(run.quantities.model.value, null);
      assert.deepEqual(
        (await notesOf(command)).map(note => note.includes(`names ${file}, not found`)),
        [true],
      );
    });
  }

  it('has the keys that stand behind it in pairs', async () => {
    const { quantities } = await runOf(
      'python tools/train_net.py --num-gpus 8 --resume --config-file a.yaml SOLVER.IMS_PER_BATCH 32 SOLVER.AMP.ENABLED True',
    );
    assert.equal(quantities.globalBatchSize.value, 32);
    assert.equal(quantities.precision.value, 'fp16-mixed');
  });

  it('is read with the files beneath it', async () => {
    const files = {
      [`w/${COCO}`]: "_base_ = ['../a.py']\ntrain_dataloader = dict(batch_size=3)\n",
      'w/configs/a.py':
        "model = dict(type='FasterRCNN')\ntrain_dataloader = dict(num_workers=5)\noptim_wrapper = dict(optimizer=dict(type='SGD'))\n",
    };
    const command = `python tools/train.py ${COCO} --amp`;
    assert.deepEqual(await notesOf(command, files), []);
    const { quantities } = await runOf(command, files);
    assert.equal(quantities.microBatchSize.value, 3);
    assert.equal(quantities.numWorkers.value, 5);
    assert.equal(quantities.precision.value, 'fp16-mixed');
  });

  it('is not said of a file that is there and is code', async () => {
    const command = `python tools/train.py ${COCO}`;
    assert.deepEqual(await notesOf(command, { [`w/${COCO}`]: 'import torch\n' }), []);
  });

  it('is no program of these that others have words of, too', async () => {
    for (const command of [
      'python tools/train.py -c configs/ppyolo/ppyolo_r50vd_dcn_1x_coco.yml',
      'python tools/train.py --batch 32 --conf configs/yolov6s.py --data data/coco.yaml',
      'python tools/train.py --cfg experiments/a.yaml',
      'python train_net.py',
    ]) {
      const { runs } = await read({ 'w/run.sh': `${command}\n` });
      assert.deepEqual(
        runs.filter(({ dialect }) => ['openmmlab', 'detectron2'].includes(dialect)),
        [],
        command,
      );
    }
  });
});

describe('dialects: musubi-tuner', () => {
  const WAN =
    'accelerate launch --num_processes 1 src/musubi_tuner/wan_train_network.py --task t2v-14B --dit x --dataset_config d.toml ' +
    '--network_module networks.lora_wan --network_dim 32 --mixed_precision bf16 --sdpa --gradient_checkpointing';

  it('is read from its flags, and says what only the data sets’ file has', async () => {
    const { dialect, quantities } = await runOf(WAN);
    assert.equal(dialect, 'musubi-tuner');
    assert.equal(quantities.model.value, 'Wan-AI/Wan2.1-T2V-14B-Diffusers');
    assert.equal(quantities.method.value, 'lora');
    assert.equal(quantities.lora.value?.r, 32);
    assert.equal(quantities.loadDtype.value, 'bf16');
    assert.equal(quantities.gradientCheckpointing.value, true);
    assert.equal(quantities.microBatchSize.value, null);
    assert.match(
      (await notesOf(WAN)).join(),
      /missing-file --dataset_config: --dataset_config names d\.toml/,
    );
  });

  it('takes the batch and the size of its data sets', async () => {
    const toml =
      '[general]\nresolution = [960, 544]\nbatch_size = 2\n\n[[datasets]]\nvideo_directory = "v"\n';
    const { quantities } = await runOf(WAN, { 'w/d.toml': toml });
    assert.equal(quantities.microBatchSize.value, 2);
  });
});
