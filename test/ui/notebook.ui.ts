// Cells of a notebook: the answer above the call that runs, hints and hover, in three kinds of theme.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import type { VSCode } from '../host/driver';
import { inVSCode } from './window';

const CELLS = [
  `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", dtype=torch.bfloat16)`,
  `args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=4,
    gradient_accumulation_steps=4,
    max_length=4096,
)`,
  `trainer = SFTTrainer(model=model, args=args, train_dataset=data, peft_config=LoraConfig(r=16))
trainer.train()`,
];

const PRINTED = { name: 'stdout', output_type: 'stream', text: ['Peak reserved memory = 21.5 GB.\n'] };

const NOTEBOOK = {
  cells: CELLS.map((source, index) => ({
    cell_type: 'code',
    execution_count: index + 1,
    id: `cell-${index}`,
    metadata: {},
    outputs: index === CELLS.length - 1 ? [PRINTED] : [],
    source: source.split(/(?<=\n)/),
  })),
  metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
  nbformat: 4,
  nbformat_minor: 5,
};

const workspaceIn = (theme: string) => (folder: string) => {
  cpSync(join(root, 'media/sample'), folder, { recursive: true });
  writeFileSync(join(folder, 'train.ipynb'), JSON.stringify(NOTEBOOK, null, 1));
  const file = join(folder, '.vscode/settings.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('{', `{\n  "workbench.colorTheme": "${theme}",`));
};

const seen = (vs: VSCode, what: string, text: RegExp) =>
  vs.until(what, async () => {
    const all = await vs.page.locator('.notebookOverlay').allInnerTexts();
    return text.test(all.join('\n').replaceAll('\u00a0', ' '));
  });

for (const theme of ['Dark Modern', 'Light Modern', 'Default High Contrast']) {
  inVSCode(`a notebook in ${theme}`, { workspace: workspaceIn(theme) }, test => {
    test(
      'shows the answer above the run, hints and the sum',
      async vs => {
        const shot = (what: string) =>
          vs.shot(`notebook-${theme.toLowerCase().replaceAll(' ', '-')}-${what}`, { keepMouse: true });
        await vs.open('train.ipynb');
        await seen(vs, 'the answer', /GB of 24 GB/);
        await seen(vs, 'hints', /4 × 4 × 1 GPU = 16/);
        await seen(
          vs,
          'the offer to keep the printed peak',
          /Keep 23\.1 GB as a measurement|Keep 21\.5 GB as a measurement/,
        );
        await shot('answer');
        const word = vs.page.locator('.notebookOverlay .view-line span span', { hasText: /^max_length$/ });
        const hovered = vs.page.locator('.monaco-hover:not(.hidden) .hover-contents');
        const text = await vs.until('hover', async () => {
          await vs.page.mouse.move(5, 5);
          await word.first().hover({ timeout: 3000 });
          await hovered.first().waitFor({ timeout: 3000 });
          return (await hovered.allInnerTexts()).join('\n');
        });
        assert.match(text, /max_length/);
        await shot('hover');
      },
      { keepMouse: true },
    );
  });
}
