// Command lines, Markdown and programs: the same answer, hints, hover and fixes as in YAML; one undo takes a fix back.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import type { VSCode } from '../host/driver';
import { inVSCode } from './window';

const COMMAND = `trl sft \\
  --model_name_or_path Qwen/Qwen2.5-7B-Instruct \\
  --dataset_name trl-lib/Capybara \\
  --dtype bfloat16 \\
  --use_peft --lora_r 16 --lora_alpha 32 \\
  --per_device_train_batch_size 4 \\
  --gradient_accumulation_steps 4 \\
  --max_length 4096 \\
  --output_dir out
`;

const PROGRAM = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", dtype=torch.bfloat16)
args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=4,
    gradient_accumulation_steps=4,
    max_length=4096,
)
trainer = SFTTrainer(model=model, args=args, train_dataset=data, peft_config=LoraConfig(r=16))
trainer.train()
`;

const FILES = {
  'train.sh': `#!/bin/bash\nset -e\n${COMMAND}`,
  'USAGE.md': `# Training\n\nOn one GPU:\n\n\`\`\`bash\n${COMMAND}\`\`\`\n`,
  'train.py': PROGRAM,
};

const workspaceIn = (theme: string) => (folder: string) => {
  cpSync(join(root, 'media/sample'), folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const file = join(folder, '.vscode/settings.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('{', `{\n  "workbench.colorTheme": "${theme}",`));
};

const BATCH = /per_device_train_batch_size/;

for (const theme of ['Dark Modern', 'Light Modern', 'Default High Contrast']) {
  inVSCode(`doors in ${theme}`, { workspace: workspaceIn(theme) }, test => {
    const picture = (vs: VSCode, what: string) =>
      vs.shot(`doors-${theme.toLowerCase().replaceAll(' ', '-')}-${what}`, { keepMouse: true });

    for (const name of Object.keys(FILES)) {
      test(
        `shows the answer, the sum and fixes in ${name}`,
        async vs => {
          await vs.open(name);
          const lenses = await vs.codeLenses(/GB of 24 GB/);
          assert.ok(lenses.includes('Optimize …'), lenses.join(' | '));
          await vs.inlayHints(/4 × 4 × 1 GPU = 16/);
          await picture(vs, `${name}-answer`);
          const text = await vs.hover(/gradient_accumulation_steps/, /GB of 24 GB/);
          assert.match(text, /gradient_accumulation_steps = 4/);
          await picture(vs, `${name}-hover`);
          await vs.unhover();
          await vs.fixes(BATCH, /4 → [12]/);
          await picture(vs, `${name}-fixes`);
          await vs.applyFix(/4 → [12]/);
          await vs.line(/per_device_train_batch_size\W?[12]/);
          await vs.undo();
          await vs.line(/per_device_train_batch_size\W?4/);
          await vs.save();
          assert.equal(
            readFileSync(vs.path(name), 'utf8').trimEnd(),
            FILES[name as keyof typeof FILES].trimEnd(),
          );
        },
        { keepMouse: true },
      );
    }
  });
}
