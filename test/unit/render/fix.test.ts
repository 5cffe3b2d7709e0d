import assert from 'node:assert/strict';
import type { DeviceEstimate, Verdict } from '../../../src/core/memory/estimate';
import type { KeyEdit } from '../../../src/core/yaml/keyEdit';
import type { PricedRemedy } from '../../../src/core/rules/remedy';
import { fixTitle, planLabel, planRow } from '../../../src/core/render/fix';
import { axolotl, judged } from '../core/support';
import { english } from '../../../src/core/text/say';

const edit = { span: { start: 0, end: 0 }, text: '' };
const set = (path: string, from: string | null, to: string, file = 'a.yaml'): KeyEdit => ({
  file,
  path,
  from,
  to,
  edit,
});

function remedy(effect: string, ...edits: readonly KeyEdit[]): PricedRemedy {
  const price = { time: 1, speed: null, quality: null };
  return { id: 'x', title: 'x', effect, savedBytes: 1, price, changes: [], edits };
}

const BATCH = [
  set('per_device_train_batch_size', '4', '1'),
  set('gradient_accumulation_steps', '4', '16'),
] as const;
const EFFECT = '−7.6 GB, effective batch 16 unchanged, slightly slower (more steps)';
const QLORA =
  '−10.1 GB, about a third slower: dequantizes weights for every product, ' +
  '4-bit base weights: results close to LoRA on a 16-bit base';

describe('the title of a fix', () => {
  it('has everything where there is room', () => {
    const fix = remedy(EFFECT, set('micro_batch_size', '4', '2'));
    assert.equal(fixTitle(fix, 'a.yaml'), `micro_batch_size 4 → 2: ${EFFECT}`);
  });

  it('loses explanations, then long keys, and stays below the width of the menu', () => {
    assert.equal(
      fixTitle(remedy(EFFECT, ...BATCH), 'a.yaml'),
      'per_device_train_batch_size 4 → 1, accumulation 4 → 16: −7.6 GB, effective batch 16 unchanged, slightly slower',
    );
    assert.equal(
      fixTitle(remedy(QLORA, set('load_in_4bit', null, 'true')), 'a.yaml'),
      'load_in_4bit: true (new): −10.1 GB, about a third slower, 4-bit base weights',
    );
  });

  it('begins with what becomes of the run, where that is known', async () => {
    const run = await judged(axolotl());
    const device = run.estimate?.devices[0];
    assert.ok(device);
    const fix = remedy('−6.1 GB', set('micro_batch_size', '4', '2'));
    const titled = (verdict: Verdict, gigabytes: number, savedBytes = 2 ** 30): string => {
      const expected = gigabytes * 2 ** 30;
      const after = { ...device, verdict, device: { ...device.device, expected } };
      return fixTitle({ ...fix, savedBytes, after }, 'a.yaml');
    };
    assert.equal(titled('fits', 17.7), 'fits, 17.7 GB · micro_batch_size 4 → 2: −6.1 GB');
    assert.equal(titled('tight', 23.4), 'tight, 23.4 GB · micro_batch_size 4 → 2: −6.1 GB');
    assert.equal(titled('exceeds', 26.1), '26.1 of 24 GB · micro_batch_size 4 → 2: −6.1 GB');
    // A change without an effect does not make a run fit.
    assert.equal(titled('fits', 17.7, 0), 'micro_batch_size 4 → 2: −6.1 GB');
    const long = { ...remedy(EFFECT, ...BATCH), after: { ...device, verdict: 'fits' as const } };
    const title = fixTitle({ ...long, savedBytes: 2 ** 33 }, 'a.yaml');
    assert.match(title, /^fits, \d+\.\d GB · per_device_train_batch_size/);
    assert.ok(title.length <= 110, title);
  });

  it('says in which other file an edit is', () => {
    const fix = remedy('−3.0 GB', set('n_negatives', '24', '12', 'conf/01_stage.yaml'));
    assert.equal(fixTitle(fix, 'conf/config.yaml'), 'n_negatives 24 → 12 in 01_stage.yaml: −3.0 GB');
  });

  it('says once what a named file repeats', () => {
    const [micro, steps] = BATCH;
    const echo = set('train_micro_batch_size_per_gpu', micro.from, micro.to, 'ds/zero2.json');
    const fix = remedy('−3.0 GB', micro, echo, steps);
    assert.equal(
      fixTitle(fix, 'a.yaml'),
      'per_device_train_batch_size 4 → 1, gradient_accumulation_steps 4 → 16, also in zero2.json: −3.0 GB',
    );
  });

  it('says by how much it is slower only where there is room for all that changes', () => {
    const steps = set('gradient_accumulation_steps', '4', '128');
    const edits = [set('micro_batch_size', '64', '2'), steps];
    const echo = set('train_micro_batch_size_per_gpu', '64', '2', 'step.json');
    const effect = '−291 GB, effective batch 256 unchanged, slightly slower (more steps)';
    assert.equal(
      fixTitle(remedy(effect, ...edits, echo), 'a.yaml'),
      'micro_batch_size 64 → 2, accumulation 4 → 128, also in step.json: −291 GB, batch 256 unchanged, slower',
    );
  });

  it('keeps what a rule orders', () => {
    const title = 'Set lora_mlp_kernel and lora_qkv_kernel to false: lora_mlp_kernel true → false';
    const fix = {
      ...remedy('no change in memory', set('lora_mlp_kernel', 'true', 'false')),
      id: 'rule',
      title,
    };
    assert.equal(fixTitle(fix, 'a.yaml'), `${title}: no change in memory`);
    const long = { ...fix, title: `${title}, ${'lora_qkv_kernel true → false, '.repeat(3)}` };
    assert.equal(
      fixTitle(long, 'a.yaml'),
      'Set lora_mlp_kernel and lora_qkv_kernel to false: no change in memory',
    );
  });

  it('never loses the number, however much there is to say', () => {
    const many = Array.from({ length: 9 }, (_, i) => set(`section.of.some.length.key_${i}`, '1', '2'));
    const endless = set('k'.repeat(300), 'v'.repeat(300), 'w'.repeat(300));
    for (const edits of [many, [endless], [endless, ...many]]) {
      const title = fixTitle(remedy(QLORA, ...edits), 'a.yaml');
      assert.ok(title.length <= 110, title);
      assert.match(title, /: −10\.1 GB/);
    }
  });
});

describe('a plan in the list', () => {
  let device: DeviceEstimate;
  before(async () => {
    const run = await judged(axolotl());
    device = { ...run.estimate!.devices[0]!, verdict: 'fits' };
    device = { ...device, device: { ...device.device, expected: 17.7 * 2 ** 30 } };
  });
  const rowOf = (fix: PricedRemedy) =>
    planRow({ ...fix, before: null, after: device, arithmetic: [], reason: '', gpus: null }, 'a.yaml');

  const plan = remedy(
    '−7.9 GB, effective batch 16 unchanged, faster loss; requires liger-kernel, slightly slower (more steps)',
    set('use_liger_kernel', null, 'true'),
    ...BATCH,
  );

  it('fits its rows', () => {
    assert.equal(
      planLabel(english, plan, 'a.yaml'),
      'use_liger_kernel: true, per_device_train_batch_size 4 → 1, accumulation 4 → 16',
    );
    assert.equal(rowOf(plan).detail, '−7.9 GB, effective batch 16 unchanged, faster loss, slightly slower');
  });

  it('tells with an ellipsis that there is more to its price', () => {
    const effect = '−7.9 GB, effective batch 16 unchanged, slightly slower (more steps), ';
    const short = remedy(`${effect}fewer negatives: they are easier to tell apart`);
    assert.equal(
      rowOf(short).detail,
      '−7.9 GB, effective batch 16 unchanged, slightly slower, fewer negatives',
    );
    const long = remedy(`${effect}shorter samples: cut, fewer negatives: easier, 4-bit base weights: close`);
    assert.equal(
      rowOf(long).detail,
      '−7.9 GB, batch 16 unchanged, slightly slower, shorter samples, fewer negatives …',
    );
  });

  it('leads with the result, and names what alters the training first', () => {
    const { label, description } = rowOf(
      remedy(EFFECT, ...BATCH, set('use_liger_kernel', null, 'true'), set('sequence_len', '4096', '2048')),
    );
    assert.equal(label, 'fits · 17.7 of 24 GB');
    assert.equal(description, 'sequence_len 4096 → 2048 and 3 more');
  });

  it('counts what it hides within the line', () => {
    const { label, description } = rowOf(remedy(EFFECT, set('use_liger_kernel', null, 'true'), ...BATCH));
    assert.equal(description, 'use_liger_kernel: true and 2 more');
    assert.ok(label.length + description.length <= 80);
  });

  it('says once whether it is slower or faster', () => {
    const both = remedy(
      '+14.2 GB, slightly faster (fewer steps), slower: more layers',
      set('layers', '3', '6'),
    );
    assert.equal(rowOf(both).detail, '+14.2 GB, slightly faster (fewer steps), slower: more layers');
    const long =
      'effective batch 8 → 32, slightly faster (fewer steps), slower: compute per layer grows, slower: more layers';
    assert.equal(
      rowOf(remedy(`+14.2 GB, ${long}`, set('layers', '3', '6'))).detail,
      '+14.2 GB, effective batch 8 → 32, slower',
    );
  });

  it('names only what a step itself changes, not the steps before it', () => {
    const own = [set('lora_r', '16', '64')];
    const all = { ...remedy(EFFECT, ...BATCH, ...own), before: null, after: device };
    const step = { kind: 'capacity', edits: own, share: null, rates: [] } as const;
    const row = planRow({ ...all, arithmetic: [], reason: '', gpus: null, step }, 'a.yaml');
    assert.equal(row.description, 'lora_r 16 → 64');
  });

  it('names every change that alters the training, however many they are', () => {
    const altering = [
      set('adapter', 'lora', 'qlora'),
      set('load_in_8bit', 'true', 'false'),
      set('load_in_4bit', null, 'true'),
      set('sequence_len', '4096', '2048'),
      set('lora_r', '64', '16'),
    ];
    const all = altering.map(({ path, from, to }) =>
      from === null ? `${path}: ${to}` : `${path} ${from} → ${to}`,
    );
    const { description, detail } = rowOf(remedy(EFFECT, ...BATCH, ...altering));
    for (const change of all) assert.ok(`${description} ${detail}`.includes(change), change);
    assert.match(description, / and 2 more$/);
    assert.match(detail, /−7\.6 GB/);
  });

  it('names it in the shortest title, too', () => {
    const optimizer = set('optimizer', 'adamw_torch', 'paged_adamw_32bit');
    const fused = set('liger_fused_linear_cross_entropy', null, 'true');
    const plugin = set('plugins[0]', null, 'axolotl.integrations.liger.LigerPlugin');
    const changes = remedy(EFFECT, fused, plugin, optimizer);
    assert.equal(
      planLabel(english, changes, 'a.yaml'),
      'optimizer adamw_torch → paged_adamw_32bit and 2 more',
    );
    const adapters = remedy(
      EFFECT,
      fused,
      plugin,
      set('model.lora_attn_modules', '[q_proj, v_proj]', '[q_proj]'),
    );
    assert.match(planLabel(english, adapters, 'a.yaml'), /^lora_attn_modules .* and 2 more$/);
  });

  it('names the batch where it is another one afterwards', () => {
    const plan = remedy(
      '−7.6 GB, effective batch 16 → 8',
      set('a_rather_long_key_of_attention', null, 'flash_attention_2'),
      ...BATCH,
    );
    const { description } = rowOf({ ...plan, changesBatch: true });
    assert.match(description, /^per_device_train_batch_size 4 → 1, accumulation 4 → 16/);
  });

  it('names the files of its edits', () => {
    const both = remedy(
      EFFECT,
      set('batch_size', '32', '16'),
      set('n_negatives', '24', '6', 'b/01_stage.yaml'),
    );
    assert.equal(
      planLabel(english, both, 'a.yaml'),
      'batch_size 32 → 16, n_negatives 24 → 6 in 01_stage.yaml',
    );
  });
});
