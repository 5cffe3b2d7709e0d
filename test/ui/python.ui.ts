// A Python program: the answer above its run, remedies on its arguments, plans in its call, in three kinds of theme.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import type { VSCode } from '../host/driver';
import { inVSCode, PLAN } from './window';

const PROGRAM = `import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

MODEL = "Qwen/Qwen2.5-7B-Instruct"

model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.bfloat16)
args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=4,
    gradient_accumulation_steps=4,
    max_length=4096,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
    peft_config=LoraConfig(r=16, lora_alpha=32),
)
trainer.train()
`;

const workspaceIn = (theme: string) => (folder: string) => {
  cpSync(join(root, 'media/sample'), folder, { recursive: true });
  mkdirSync(join(folder, 'python'));
  writeFileSync(join(folder, 'python/train.py'), PROGRAM);
  const file = join(folder, '.vscode/settings.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('{', `{\n  "workbench.colorTheme": "${theme}",`));
};

async function opened(vs: VSCode): Promise<readonly string[]> {
  await vs.open('python/train.py');
  return vs.codeLenses(/GB of 24 GB/);
}

for (const theme of ['Dark Modern', 'Light Modern', 'Default High Contrast']) {
  inVSCode(`python in ${theme}`, { workspace: workspaceIn(theme) }, test => {
    const picture = (vs: VSCode, what: string, keepMouse = false) =>
      vs.shot(`python-${theme.toLowerCase().replaceAll(' ', '-')}-${what}`, { keepMouse });

    test(
      'shows the answer above the run, and the sum on hover',
      async vs => {
        const lenses = await opened(vs);
        assert.ok(lenses.includes('Optimize …'), lenses.join(' | '));
        await vs.inlayHints(/4 × 4 × 1 GPU = 16/);
        await picture(vs, 'answer');
        const text = await vs.hover('gradient_accumulation_steps', /GB of 24 GB/);
        assert.match(text, /gradient_accumulation_steps = 4/);
        await picture(vs, 'hover', true);
        await vs.unhover();
      },
      { keepMouse: true },
    );

    test('shows plans, and writes one into the call', async vs => {
      await opened(vs);
      await vs.command('Headroom: Optimize GPU Config');
      await vs.picks(PLAN);
      await picture(vs, 'plans');
      await vs.page.keyboard.press('Enter');
      await vs.picks(/Apply/);
      await vs.page.keyboard.press('Enter');
      await vs.until('an argument', () =>
        Promise.resolve(!readFileSync(vs.path('python/train.py'), 'utf8').includes('batch_size=4,')),
      );
      await picture(vs, 'optimized');
    });
  });
}
