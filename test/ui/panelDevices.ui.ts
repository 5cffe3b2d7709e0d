// The panel of a real VS Code on special machines: eight GPUs, one cut into slices, one whose memory is the
// system's. The tools' output is recorded; the eight are one recording with different numbers and ids.
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { replaying } from './replay';
import { scratch } from './trainer';
import { inVSCode } from './window';

const recordings = join(root, 'test/fixtures/telemetry');
const ONE = 'nv-csv-4080s-595-load.csv';

/** The recorded GPU eight times, with different numbers, addresses and UUIDs. */
function eightGpus() {
  const [head = '', row = ''] = readFileSync(join(recordings, ONE), 'utf8').split('\n');
  const names = head.split(', ');
  const rows = Array.from({ length: 8 }, (_, index) => {
    const own: Readonly<Record<string, string>> = {
      index: String(index),
      uuid: `GPU-0000000${index}`,
      'pci.bus_id': `00000000:0${index + 1}:00.0`,
    };
    return row
      .split(', ')
      .map((cell, at) => own[names[at]!] ?? cell)
      .join(', ');
  });
  const file = join(scratch('panel'), 'eight.csv');
  writeFileSync(file, `${[head, ...rows].join('\n')}\n`);
  return replaying([{ when: '--query-gpu', file }]);
}

/** A tegrastats that prints the lines of a recording, one per second, in an endless loop. */
function jetson() {
  const folder = scratch('panel');
  const recording = join(recordings, 'recordings/tegra-orin-nano-2024.txt');
  const script = `#!/bin/sh\nwhile :; do while IFS= read -r line; do printf '%s\\n' "$line"; sleep 1; done <'${recording}'; done\n`;
  writeFileSync(join(folder, 'tegrastats'), script, { mode: 0o755 });
  return { PATH: `${folder}${delimiter}${process.env['PATH']}` };
}

const mig = {
  PATH: `${recordings}${delimiter}${process.env['PATH']}`,
  HEADROOM_REPLAY: join(recordings, 'mig.json'),
};

/** Opens the panel in an editor tab, which has more room; returns the page. */
async function inTab(vs: VSCode) {
  await vs.open('trl/qwen2.5-7b-sft.yaml');
  await vs.codeLenses(/GB/);
  await vs.command('Headroom: Open GPU Panel in Editor Tab');
  const page = await vs.webview('.card');
  await vs.until('a reading', async () => (await page.locator('.card').first().innerText()).includes('°C'));
  return page;
}

inVSCode('panel of eight GPUs', { workspace: 'media/sample', env: eightGpus() }, test => {
  test('has a card for each GPU', async vs => {
    const page = await inTab(vs);
    assert.equal(await page.locator('.card').count(), 8);
    assert.deepEqual(await page.locator('.controls .count').allInnerTexts(), ['8 GPUs']);
    await vs.until('a line', async () => (await vs.painted(page)) > 100);
  });
});

inVSCode('panel of a GPU in slices', { workspace: 'media/sample', env: mig }, test => {
  test('shows the slices, and no load of the whole GPU', async vs => {
    const page = await inTab(vs);
    const card = page.locator('.card').first();
    assert.match(await card.locator('.chips').innerText(), /MIG, \d slices/);
    assert.match(await card.locator('.slices').innerText(), /\dg\.\d+gb/);
    assert.equal(await card.locator('.chart-utilPct .value').innerText(), 'n/a');
  });
});

inVSCode('panel of a Jetson', { workspace: 'media/sample', env: jetson() }, test => {
  test("says that its memory is the system's", async vs => {
    const page = await inTab(vs);
    const card = page.locator('.card').first();
    assert.match(await card.locator('.chips').innerText(), /unified memory/);
    assert.match(await card.locator('.chart-utilPct .value').innerText(), /\d+ %/);
    assert.match(await card.locator('.chart-memoryUsedMiB .value').innerText(), / of 7\.4 GB/);
  });
});
