// The meter in the status bar: memory and temperature of the local GPU, and the target of configs that name none.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VSCode } from '../host/driver';
import { BUSY_GPU, replaying } from './replay';
import { inVSCode } from './window';

const METER = 'gpu-headroom.gpu-headroom.headroom.meter';
const BROKEN = replaying([{ when: '--query-gpu', file: 'nv-err-nodriver.txt', exitCode: 9 }]);

/** A folder whose configs are compared with this machine's GPU. */
function automatic(folder: string): void {
  const config =
    'base_model: Qwen/Qwen2.5-3B\nadapter: lora\nlora_target_linear: true\nlora_r: 8\nlora_alpha: 16\nsequence_len: 1024\n';
  writeFileSync(join(folder, 'lora.yml'), `${config}micro_batch_size: 1\ngradient_accumulation_steps: 4\n`);
}

async function measured(vs: VSCode) {
  await vs.open('lora.yml');
  return vs.status(METER, /of 16 GB/);
}

inVSCode('meter @gate', { workspace: automatic, env: BUSY_GPU }, test => {
  test('shows the memory and temperature of the GPU, which is the target of configs that name none', async vs => {
    const meter = await measured(vs);
    assert.match(meter.text, /^\d+\.\d of 16 GB · \d+ °C$/);
    assert.deepEqual(meter.icons, ['circuit-board']);
    assert.match(meter.label, /^GPU 0, NVIDIA GeForce RTX 4080 SUPER: .* percent busy$/);
    const [lens] = await vs.codeLenses(/GB of 16 GB/);
    assert.match(lens!, /RTX 4080 SUPER/);
  });

  test(
    'lists all GPUs in its tooltip',
    async vs => {
      await measured(vs);
      const tooltip = await vs.statusTooltip(METER);
      assert.match(tooltip, /GeForce RTX 4080 SUPER.*of 16 GB.*°C.*W/);
      assert.match(tooltip, /Show GPU Panel.*Choose Target GPU.*Choose Status Bar GPU/);
    },
    { keepMouse: true },
  );

  test('shows the chosen format, and reports a wrong one', async vs => {
    await measured(vs);
    const format = (text: string) =>
      writeFileSync(vs.path('.vscode/settings.json'), JSON.stringify({ 'headroom.meter.format': text }));
    mkdirSync(vs.path('.vscode'), { recursive: true });
    format('{name} {memoryPct} · {util}');
    const meter = await vs.status(METER, /RTX/);
    assert.match(meter.text, /^RTX 4080 SUPER \d+ % · \d+ %$/);
    format('{memry}');
    await vs.status(METER, /of 16 GB · \d+ °C/);
    assert.match(await vs.statusTooltip(METER), /unknown placeholder \{memry\}/);
  });

  test('can be fixed to one GPU', async vs => {
    await measured(vs);
    await vs.command('Headroom: Choose Status Bar GPU');
    // The rows of the palette may still be there.
    const first = async () => (await vs.picks(/GPU 0 · NVIDIA GeForce RTX 4080 SUPER/))[0] ?? '';
    await vs.until('choices', async () => (await first()).includes('The busiest GPU'));
    await vs.pick('GPU 0');
    await vs.until('setting', () => vs.read('.vscode/settings.json').includes('"headroom.meter.gpu": "GPU-'));
    await vs.status(METER, /of 16 GB/);
  });

  test('opens the panel', async vs => {
    await measured(vs);
    await vs.clickStatus(METER);
    await vs.webview('text=RTX 4080 SUPER');
  });

  test('a command sets the target', async vs => {
    await measured(vs);
    await vs.command('Headroom: Choose Target GPU');
    const choices = await vs.picks(/This machine's GPU/);
    assert.ok(
      choices.some(choice => choice.startsWith("This machine's GPU, RTX 4080 SUPER")),
      choices.join('\n'),
    );
    await vs.page.keyboard.type('24 GB');
    await vs.pick('24 GB');
    await vs.pick('For this workspace');
    await vs.codeLenses(/GB of 24 GB/);
    assert.match(vs.read('.vscode/settings.json'), /"headroom\.target\.gpu": "24 GB"/);
  });
});

inVSCode('meter without a driver', { workspace: automatic, env: BROKEN }, test => {
  test('shows n/a with the reason, and leaves the choice of a GPU to the user', async vs => {
    await vs.open('lora.yml');
    const meter = await vs.status(METER, /n\/a/);
    assert.equal(meter.background, 'warning');
    assert.match(await vs.statusTooltip(METER), /driver/);
    const lenses = await vs.codeLenses(/GB per GPU · no GPU chosen$/);
    assert.ok(lenses.includes('Choose GPU …'));
  });
});

inVSCode('meter without a GPU', { workspace: automatic }, test => {
  test('is hidden', async vs => {
    await vs.open('lora.yml');
    await vs.codeLenses(/GB per GPU/);
    assert.equal(await vs.hasStatus(METER), false);
  });
});

inVSCode('meter in Restricted Mode', { workspace: automatic, env: BUSY_GPU, trust: false }, test => {
  test(
    'is hidden, though the config is analyzed, until the folder is trusted',
    async vs => {
      await vs.open('lora.yml');
      await vs.codeLenses(/GB per GPU/);
      await vs.hover('sequence_len', /GB/);
      await vs.unhover();
      assert.equal(await vs.hasStatus(METER), false);
      await vs.trustFolder();
      await vs.status(METER, /of 16 GB/);
      await vs.codeLenses(/GB of 16 GB/);
    },
    { fresh: true },
  );
});
