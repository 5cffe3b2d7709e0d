import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { adviceFor } from '../../../src/core/plan/advice';
import { effectOf } from '../../../src/core/plan/effect';
import { searchPlans } from '../../../src/core/plan/search';
import { remedies } from '../../../src/core/plan/remedies/registry';
import { editsFor } from '../../../src/core/dialects/write';
import { editsTitle } from '../../../src/core/plan/price';
import { applied, read } from '../../unit/dialects/support';
import { axolotl, contextOf, judge, judged, target } from '../../unit/core/support';
import { english } from '../../../src/core/text/say';

const optionsOf = (id: string) => remedies.find(one => one.id === id) ?? assert.fail(`no remedy ${id}`);
const NEMO = readFileSync(
  'test/fixtures/configs/NVIDIA__NeMo-Framework-Launcher/launcher_scripts/conf/training/llama/llama3_8b.yaml',
  'utf8',
);

describe('remedies for a model built by the config', () => {
  it('remove layers or width, and the result reads as predicted', async () => {
    const run = await judged(NEMO, 'H100');
    const context = contextOf(run, 'H100');
    for (const id of ['layers', 'width']) {
      const [mildest, next] = optionsOf(id).less(context);
      assert.ok(mildest && next && mildest.price.quality !== null);
      const effect = effectOf(context, mildest.changes);
      assert.ok((effect.deltaBytes ?? 0) < -(2 ** 30));
      const written = editsFor(run.run, mildest.changes);
      assert.ok(written.ok);
      const texts = applied({ 'config.yaml': NEMO }, written.edits);
      const { runs } = await judge(texts, 'H100');
      const again = runs[0]?.estimate?.devices[0]?.device.expected;
      assert.equal(again, effect.estimate?.devices[0]?.device.expected);
    }
  });

  it('find the largest model that fits', async () => {
    const small = NEMO.replace('num_layers: 32', 'num_layers: 4');
    const context = contextOf(await judged(small, 'H100'), 'H100');
    const options = { goal: 'largest', margin: 0.85, mayTrade: true } as const;
    const { plans } = await searchPlans(context, options, () => Promise.resolve(), { aborted: false });
    const [first] = plans;
    assert.ok(first?.edits.some(({ path }) => /num_layers|hidden_size/.test(path)));
  });

  it('leave a model alone that is only named or pretrained', async () => {
    const context = contextOf(await judged(axolotl()));
    for (const id of ['layers', 'width']) {
      assert.deepEqual(optionsOf(id).less(context), []);
      assert.deepEqual(optionsOf(id).towards?.options(context), []);
    }
  });
});

describe('gradient checkpointing', () => {
  it('is selective if the framework supports that, else full', async () => {
    const nemo = contextOf(await judged(NEMO, 'H100'), 'H100');
    const [selective, whole] = optionsOf('gradient-checkpointing').less(nemo);
    assert.ok(selective && whole);
    const written = editsFor(nemo.run, selective.changes);
    assert.ok(written.ok && written.edits[0]?.to === 'selective');
    const saved = (changes: typeof whole.changes): number => -(effectOf(nemo, changes).deltaBytes ?? 0);
    assert.ok(saved(selective.changes) >= 0 && saved(whole.changes) > saved(selective.changes));
    const other = contextOf(await judged(axolotl({ gradient_checkpointing: false })));
    assert.equal(optionsOf('gradient-checkpointing').less(other).length, 1);
  });
});

describe('remedies outside GPU memory', () => {
  const textsOf = async (text: string): Promise<readonly string[]> =>
    adviceFor(contextOf(await judged(text)), null).map(one => one.text);

  it('pack padded rows, and no others', async () => {
    assert.ok(
      (await textsOf(axolotl({ sample_packing: false, pad_to_sequence_len: true }))).includes(
        'sample_packing: true',
      ),
    );
    assert.ok(!(await textsOf(axolotl())).some(text => text.startsWith('sample_packing')));
  });

  const YOLO = (workers: number): string =>
    `task: detect\nmode: train\nmodel: yolov8n.pt\ndata: coco8.yaml\nepochs: 100\nbatch: 16\nimgsz: 640\nworkers: ${workers}\n`;

  it('load images in parallel to the GPU if nothing does, without a memory claim', async () => {
    const advice = adviceFor(contextOf(await judged(YOLO(0))), null);
    const loader = advice.find(({ text }) => text === 'workers: 2');
    assert.ok(loader?.why.includes('no GPU memory'), JSON.stringify(advice));
    assert.ok(!(await textsOf(YOLO(8))).some(text => text.startsWith('workers')));
  });

  it('reduce workers if host memory is short', async () => {
    const context = contextOf(await judged(YOLO(16)));
    const short = { ...context, target: { ...target('RTX 4090'), hostMiB: 2048 } };
    const { estimate } = effectOf(short, []);
    const loader = adviceFor({ ...short, estimate }, null).find(({ text }) => text === 'workers: 8');
    assert.match(loader?.why ?? '', /^the machine lacks .* of RAM/);
  });

  it('save FSDP shards as they are', async () => {
    const fsdp = (type: string): string =>
      `${axolotl()}fsdp_version: 2\nfsdp_config:\n  offload_params: false\n  state_dict_type: ${type}\n`;
    assert.ok(
      (await textsOf(fsdp('FULL_STATE_DICT'))).includes('fsdp_config.state_dict_type: SHARDED_STATE_DICT'),
    );
    assert.ok(!(await textsOf(fsdp('SHARDED_STATE_DICT'))).some(text => text.includes('state_dict')));
  });
});

describe("edits of a config's base files", () => {
  const BASE =
    'SOLVER:\n  IMS_PER_BATCH: 16\n  BASE_LR: 0.02\nMODEL:\n  META_ARCHITECTURE: GeneralizedRCNN\n';

  it('override a shared base in the config, in one new section if it has none', async () => {
    const files = {
      'cfg/a.yaml':
        '_BASE_: base.yaml\nMODEL:\n  MASK_ON: true\nINPUT:\n  MIN_SIZE_TRAIN: [800]\nDATASETS:\n  TRAIN: [x]\n',
      'cfg/base.yaml': BASE,
    };
    const [run] = (await read(files)).runs;
    assert.ok(run);
    const written = editsFor(run, [
      { quantity: 'globalBatchSize', to: 8 },
      { key: 'SOLVER.BASE_LR', to: 0.01 },
    ]);
    assert.ok(written.ok);
    const after = applied(files, written.edits);
    assert.deepEqual(after, {
      ...files,
      'cfg/a.yaml': `${files['cfg/a.yaml']}SOLVER:\n  IMS_PER_BATCH: 8\n  BASE_LR: 0.01\n`,
    });
    const [again] = (await read(after)).runs;
    assert.equal(again?.quantities.globalBatchSize.value, 8);
    assert.equal(editsTitle(english, written.edits), 'SOLVER: {IMS_PER_BATCH: 8, BASE_LR: 0.01} (new)');
  });

  it("override a shared base in the config's existing section", async () => {
    const files = {
      'cfg/a.yaml':
        '_BASE_: base.yaml\nMODEL:\n  MASK_ON: true\nSOLVER:\n  STEPS: [60000]\n  MAX_ITER: 90000\n',
      'cfg/base.yaml': BASE,
    };
    const { runs, dialect } = await read(files);
    const [run] = runs;
    assert.ok(run && dialect === 'detectron2');
    const written = editsFor(run, [{ quantity: 'globalBatchSize', to: 8 }]);
    assert.ok(written.ok);
    assert.deepEqual(
      written.edits.map(({ file, path }) => [file, path]),
      [['cfg/a.yaml', 'SOLVER.IMS_PER_BATCH']],
    );
    const again = await read(applied(files, written.edits));
    assert.equal(again.runs[0]?.quantities.globalBatchSize.value, 8);
  });

  it("write no key into a launcher file that takes it from DeepSpeed's", async () => {
    const files = {
      'sft.yaml':
        'model_name_or_path: x\ndataset_name: y\nlearning_rate: 1\npacking: true\naccelerate_config: acc.yaml\n' +
        'per_device_train_batch_size: 4\ngradient_accumulation_steps: 4\n',
      'acc.yaml':
        'distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n',
      'ds.json': '{"zero_optimization": {"stage": 3}, "gradient_accumulation_steps": 4}',
    };
    const { runs } = await read(files);
    const [run] = runs;
    assert.ok(run);
    const written = editsFor(run, [{ quantity: 'gradAccum', to: 8 }]);
    assert.ok(written.ok, written.ok ? '' : written.why);
    assert.deepEqual(written.edits.map(({ file }) => file).sort(), ['ds.json', 'sft.yaml']);
  });
});
