// After Check Workspace: a badge on each file, and a tree of runs by verdict; both follow the text and disappear
// when stale.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import type { VSCode } from '../host/driver';
import { inVSCode } from './window';

const TRL = 'trl/qwen2.5-7b-sft.yaml';

/** Labels of the results tree, as a screen reader reads them. */
function rows(vs: VSCode): Promise<string[]> {
  const row = '.pane:has([aria-label*="Checked Configs"]) .monaco-list-row';
  return vs.page.evaluate<string[]>(
    `[...document.querySelectorAll('${row}')].map(row => row.getAttribute('aria-label'))`,
  );
}

/** The explorer's badge of a file: `1, ✗`. */
function badge(vs: VSCode, file: string): Promise<string> {
  const label = `.explorer-folders-view .monaco-list-row[aria-label^="${file}"] .monaco-icon-label`;
  return vs.page.evaluate<string>(`getComputedStyle(document.querySelector('${label}'), '::after').content`);
}

async function check(vs: VSCode): Promise<void> {
  await vs.command('Headroom: Check Workspace');
  await vs.notifications(/runs?: /);
  await vs.parkMouse();
  await vs.notificationButton('Show Results');
  await vs.until('results', async () => (await rows(vs)).length > 0);
}

inVSCode('checked', { workspace: 'media/sample' }, test => {
  test('shows the verdicts in a tree and on the files, until a file changes', async vs => {
    await check(vs);
    const labels = await rows(vs);
    assert.match(labels[0] ?? '', /^Does not fit, \d+ runs?/);
    assert.ok(
      labels.some(label => /qwen2\.5-7b-sft\.yaml, about \d+\.\d GB of 24 GB, does not fit/.test(label)),
      labels.join('\n'),
    );
    await vs.shot('checked-tree');
    appendFileSync(vs.path(TRL), '\n# changed\n');
    const isListed = async (): Promise<boolean> =>
      (await rows(vs)).some(label => label.includes('qwen2.5-7b-sft.yaml'));
    await vs.until('no stale answer', async () => !(await isListed()));
    await check(vs);
    await vs.open(TRL);
    await vs.command('View: Show Explorer');
    await vs.until('a badge', async () => (await badge(vs, 'qwen2.5-7b-sft.yaml')).includes('✗'));
    await vs.shot('checked-badges');
    await vs.command('Headroom: Clear Check Results');
    await vs.until('no badge', async () => !(await badge(vs, 'qwen2.5-7b-sft.yaml')).includes('✗'));
    assert.deepEqual(await rows(vs), []);
  });

  test('opens a run with the keyboard', async vs => {
    await check(vs);
    await vs.command('Headroom: Focus on Checked Configs View');
    await vs.page.keyboard.press('Home');
    await vs.page.keyboard.press('ArrowDown');
    await vs.page.keyboard.press('Enter');
    await vs.codeLenses(/does not fit/);
  });
});
