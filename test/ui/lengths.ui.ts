// The lengths of a config's data: counted from the palette, then shown in lens, hover and problems.
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
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
  step('a command counts them', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB/);
    await vs.command('Headroom: Measure Data Lengths');
    const lenses = await vs.codeLenses(/your data ≈ \d+\.\d GB/);
    assert.ok(lenses.length > 0);
  });

  step(
    'the hover shows a picture and a sentence',
    async vs => {
      const text = await vs.hover('sequence_len', /500 rows of data\/train\.jsonl/);
      assert.match(text, /no row of the data has more than [\d,]+/);
      assert.match(text, /Measure Data Lengths/);
    },
    { keepMouse: true },
  );

  for (const [theme, frame] of Object.entries(THEMES)) {
    step(
      `the picture uses the colors of ${theme}`,
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

  step('the length limit gets a finding', async vs => {
    await vs.unhover();
    const problems = await vs.problems(/limit-above-data/);
    assert.ok(problems.some(problem => problem.includes('The limit is 8,192 tokens')));
  });
});

/** Data that take longer to count than a user waits. */
const PIECES = 64;

function long(folder: string): void {
  mkdirSync(join(folder, 'data'));
  const piece = `${JSON.stringify({ text: 'word '.repeat(400) })}\n`.repeat(5000);
  for (let at = 0; at < PIECES; at++) appendFileSync(join(folder, 'data/train.jsonl'), piece);
  writeFileSync(join(folder, 'lora.yaml'), CONFIG);
}

/** Whether a process has the data open. */
function isRead(path: string): boolean {
  const links = (pid: string): readonly string[] => {
    try {
      return readdirSync(`/proc/${pid}/fd`).map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      // It has ended meanwhile.
      return [];
    }
  };
  return readdirSync('/proc').some(pid => /^\d+$/.test(pid) && links(pid).includes(path));
}

const linux = {
  skip: () => (process.platform === 'linux' ? null : 'open files are looked up in /proc'),
  workspace: long,
};

inVSCode('lengths, given up', linux, test => {
  test('shows its progress, ends when it is canceled, and leaves nothing behind', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB/);
    await vs.command('Headroom: Measure Data Lengths');
    await vs.until('progress', async () =>
      (await vs.notificationsNow()).some(text => /Data lengths of lora\.yaml.*rows/s.test(text)),
    );
    assert.ok(isRead(vs.path('data/train.jsonl')));
    const said = vs.page.locator('.notification-list-item', { hasText: 'Data lengths of' }).last();
    await said.getByText('Cancel').click();
    await vs.until(
      'no progress',
      async () => !(await vs.notificationsNow()).some(text => text.includes('Data lengths of')),
    );
    await vs.until('no reader', () => !isRead(vs.path('data/train.jsonl')));
    assert.deepEqual(await vs.notificationsNow(), []);
    assert.equal(existsSync(vs.path('.headroom/lengths.jsonl')), false);
  });
});
