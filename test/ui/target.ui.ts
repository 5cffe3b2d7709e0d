// Choose Target GPU: the list's first rows, typed input, and where the choice is stored.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VSCode } from '../host/driver';
import { inVSCode, journeyInVSCode } from './window';

const CONFIG =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\nmax_length: 512\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-5\noutput_dir: out\n';
const LIST = '.quick-input-widget';

const withoutTarget = (folder: string): void => writeFileSync(join(folder, 'sft.yaml'), CONFIG);

async function choices(vs: VSCode): Promise<readonly string[]> {
  await vs.open('sft.yaml');
  await vs.codeLenses(/no GPU chosen|of \d+ GB/);
  await vs.command('Headroom: Choose Target GPU');
  return vs.picks(/RTX 4090/);
}

const typed = async (vs: VSCode, text: string, expected: RegExp): Promise<readonly string[]> => {
  await vs.page.locator(`${LIST} input.input`).fill(text);
  return vs.picks(expected);
};

/** Waits until the list has changed and starts with the expected row. */
const first = (vs: VSCode, expected: RegExp) =>
  vs.until(`a list that begins with ${String(expected)}`, async () => expected.test((await vs.picks())[0]!));

const settings = (vs: VSCode) =>
  existsSync(vs.path('.vscode/settings.json')) ? vs.read('.vscode/settings.json') : '';

inVSCode('target', { workspace: withoutTarget }, test => {
  test(
    'lists common GPUs first, then memory sizes, then all GPUs',
    async vs => {
      const rows = await choices(vs);
      assert.match(rows[0]!, /^RTX 3090, 24 GB/);
      const at = (start: RegExp) => rows.findIndex(row => start.test(row));
      const order = [0, at(/^H200,/), at(/^This machine/), at(/^8 GB/)];
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
        rows.join('\n'),
      );
      await vs.shot('target-list');
    },
    // Earlier choices come first.
    { fresh: true },
  );

  test('takes a machine’s name for its GPU, and says that it shares the memory', async vs => {
    await choices(vs);
    const rows = await typed(vs, 'DGX Spark', /^DGX Spark/);
    assert.match(rows[0]!, /^DGX Spark, GB10 · 128 GB, shared with the CPU/);
    await vs.shot('target-typed');
  });

  test('offers each GPU that a name may mean', async vs => {
    await choices(vs);
    const rows = await typed(vs, 'A100 80', /^A100 SXM4 80GB/);
    assert.ok(rows.some(row => row.startsWith('A100 80GB PCIe')));
  });

  test('explains what can be typed if nothing matches, and stays open', async vs => {
    await choices(vs);
    const [row] = await typed(vs, 'foo', /^foo/);
    assert.match(row!, /not a known GPU\. Type a name \(RTX 4090, 2x H100\) or memory \(24GB\)\./);
    await vs.page.keyboard.press('Enter');
    assert.ok(await vs.offers('foo', 500));
  });
});

journeyInVSCode('a target that is chosen', { workspace: withoutTarget }, step => {
  step('typing its name shows it once, and Enter selects it', async vs => {
    await choices(vs);
    const rows = await typed(vs, '4090', /^RTX 4090,/);
    assert.match(rows[0]!, /^RTX 4090, 24 GB/);
    assert.equal(rows.filter(row => /^(4090|RTX 4090),/.test(row)).length, 1, rows.join('\n'));
    await vs.page.keyboard.press('Enter');
    await first(vs, /^For this workspace/);
    await vs.shot('target-scope');
    await vs.pick('For this workspace');
    await vs.codeLenses(/of 24 GB · fits · RTX 4090/);
    assert.match(settings(vs), /"headroom\.target\.gpu": "RTX 4090"/);
  });

  step('the next list begins with it; another one is kept for all workspaces', async vs => {
    const rows = await choices(vs);
    assert.match(rows[0]!, /^RTX 4090, RTX 4090 · 24 GB|^RTX 4090, 24 GB/);
    await typed(vs, '80 GB', /^80 GB/);
    await vs.page.keyboard.press('Enter');
    await vs.picks(/Always/);
    await vs.pick('Always');
    await vs.codeLenses(/of 80 GB · fits$/);
    // The workspace's own value would hide it.
    await vs.until('no value of the workspace', () => !settings(vs).includes('target.gpu'));
  });

  step('after a question, it is kept in the same place as the last one', async vs => {
    await choices(vs);
    await typed(vs, '16 GB', /^16 GB/);
    await vs.page.keyboard.press('Enter');
    await first(vs, /^Always/);
    await vs.escape();
    await vs.codeLenses(/of 80 GB · fits$/);
  });
});
