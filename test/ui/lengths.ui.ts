// The lengths of a config's data: counted from the palette, then shown in lens, hover and problems.
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inVSCode, journeyInVSCode } from './window';

const CONFIG = `base_model: meta-llama/Llama-3.1-8B
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 8192
micro_batch_size: 4
gradient_accumulation_steps: 1
gradient_checkpointing: true
bf16: true
datasets:
  - path: data/train.jsonl
    type: completion
`;

/** Color of a picture's lines, which identifies its palette. */
const THEMES = {
  'Light Modern': '#3b3b3b',
  'Default High Contrast': '#ffffff',
  'Default High Contrast Light': '#292929',
  'Dark Modern': '#cccccc',
};

function inTheme(vs: VSCode, theme: string) {
  mkdirSync(vs.path('.vscode'), { recursive: true });
  writeFileSync(vs.path('.vscode/settings.json'), JSON.stringify({ 'workbench.colorTheme': theme }));
}

/** Rows of 40 to 1,240 words, most of them short. */
function rows() {
  const words = (i: number) => 40 + Math.floor(1200 * ((i % 97) / 97) ** 4);
  return Array.from({ length: 500 }, (_, i) => JSON.stringify({ text: 'word '.repeat(words(i)) })).join('\n');
}

function workspace(folder: string) {
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/train.jsonl'), `${rows()}\n`);
  writeFileSync(join(folder, 'lora.yaml'), CONFIG);
}

journeyInVSCode('lengths', { workspace }, step => {
  step('are counted by a command', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB/);
    await vs.command('Headroom: Measure Data Lengths');
    const lenses = await vs.codeLenses(/your data ≈ \d+\.\d GB/);
    assert.ok(lenses.length > 0);
  });

  step(
    'are a picture and a sentence in the hover',
    async vs => {
      const text = await vs.hover('sequence_len', /500 rows of data\/train\.jsonl/);
      assert.match(text, /no row of the data has more than [\d,]+/);
      assert.match(text, /Measure Data Lengths/);
    },
    { keepMouse: true },
  );

  for (const [theme, frame] of Object.entries(THEMES)) {
    step(
      `are a picture in the colours of ${theme}`,
      async vs => {
        await vs.unhover();
        inTheme(vs, theme);
        await vs.until('the picture', async () => {
          await vs.unhover();
          await vs.hover('sequence_len', /500 rows of/);
          const sources = await vs.page
            .locator('.monaco-hover img')
            .evaluateAll((all: { readonly src: string }[]) => all.map(one => one.src));
          return sources.some(source => decodeURIComponent(source).includes(`y2="35.5" stroke="${frame}"`));
        });
      },
      { keepMouse: true },
    );
  }

  step('leave a finding at the limit', async vs => {
    await vs.unhover();
    const problems = await vs.problems(/limit-above-data/);
    assert.ok(problems.some(problem => problem.includes('The limit is 8,192 tokens')));
  });
});

/** Endless data: a pipe, which tells whether it has a reader. */
function endless(folder: string): void {
  mkdirSync(join(folder, 'data'));
  spawnSync('mkfifo', [join(folder, 'data/train.jsonl')]);
  writeFileSync(join(folder, 'lora.yaml'), CONFIG);
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** Its file descriptor if it has a reader, else null. */
function writer(vs: VSCode): number | null {
  try {
    return openSync(vs.path('data/train.jsonl'), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENXIO') return null;
    throw error;
  }
}

/** Whether the data have no reader any more. */
function isClosed(into: number, row: string): boolean {
  try {
    writeSync(into, row);
    return false;
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return false;
    if (codeOf(error) === 'EPIPE') return true;
    throw error;
  }
}

const posix = {
  skip: () => (process.platform === 'win32' ? 'there are no pipes in its folders' : null),
  workspace: endless,
};

inVSCode('lengths, given up', posix, test => {
  test('says how far it is, ends when it is cancelled, and leaves nothing', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB/);
    await vs.command('Headroom: Measure Data Lengths');
    const into = await vs.until('a reader', () => writer(vs));
    // More rows make it report its progress, which it does now and then.
    const row = `${JSON.stringify({ text: 'word '.repeat(40) })}\n`;
    await vs.until('progress', async () => {
      isClosed(into, row.repeat(100));
      return (await vs.notificationsNow()).some(text => /Data lengths of lora\.yaml.*rows/s.test(text));
    });
    const said = vs.page.locator('.notification-list-item', { hasText: 'Data lengths of' }).last();
    await said.getByText('Cancel').click();
    await vs.until(
      'no progress',
      async () => !(await vs.notificationsNow()).some(text => text.includes('Data lengths of')),
    );
    // The data still continue: cancellation ended the reader.
    await vs.until('no reader', () => isClosed(into, row));
    closeSync(into);
    assert.deepEqual(await vs.notificationsNow(), []);
    assert.equal(existsSync(vs.path('.headroom/lengths.jsonl')), false);
  });
});
