import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyze } from '../../../src/core/analyse/analyse';
import { couldBeRead } from '../../../src/core/dialects/couldBe';
import { parseProgram } from '../../../src/core/python/parse';
import { Launchers } from '../../../src/world/launchers';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { quantile, median, repeated, rounded, timed } from './bench';
import type { Bench } from './bench';
import { NEVER, surroundings } from './inputs';

const RUNS = repeated(200, 2);

/** Functions of a training program: 500 lines with the run. */
function helpers(lines: number): string {
  const each = 8;
  return Array.from(
    { length: Math.floor(lines / each) },
    (_, i) => `
def prepare_${i}(rows, limit=${100 + i}, field="text"):
    kept = [row for row in rows if len(row[field]) < limit]
    total = sum(len(row[field]) for row in kept)
    if total == 0:
        raise ValueError(f"no rows under {limit} in {field}")
    return {"rows": kept, "mean": total / len(kept), "limit": limit}
`,
  ).join('\n');
}

const program = (batch: number, length: number): string => `import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

MODEL = "NousResearch/Meta-Llama-3-8B"
${helpers(460)}
model = AutoModelForCausalLM.from_pretrained(MODEL, torch_dtype=torch.bfloat16)
tokenizer = AutoTokenizer.from_pretrained(MODEL)
args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=${batch},
    gradient_accumulation_steps=4,
    max_length=${length},
    gradient_checkpointing=True,
    bf16=True,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
    peft_config=LoraConfig(r=16, lora_alpha=32),
)
trainer.train()
`;

const script = (batch: number, length: number): string => `#!/bin/bash
#SBATCH --gpus=1
set -euo pipefail
${Array.from({ length: 80 }, (_, i) => `export OPTION_${i}="\${OPTION_${i}:-${i}}"  # a default`).join('\n')}
MODEL=NousResearch/Meta-Llama-3-8B
accelerate launch --num_processes 1 -m trl sft \\
  --model_name_or_path $MODEL --dataset_name trl-lib/Capybara \\
  --per_device_train_batch_size ${batch} --gradient_accumulation_steps 4 \\
  --max_length ${length} --use_peft --lora_r 16 --bf16 --gradient_checkpointing --output_dir out
`;

/** Our own work between an edit of a file and its diagnostics: p95. Each run gets a new text. */
const editOf = (name: string, path: string, text: (batch: number, length: number) => string): Bench => ({
  name,
  async run() {
    const { world, options } = await surroundings();
    const times = await timed(RUNS, async i => {
      const edited = text(1 + (i % 8), 1024 + 8 * i);
      if (couldBeRead(edited, path)) await analyze(path, edited, world, options, NEVER);
    });
    const parsing = await timed(repeated(20), i => parseProgram(text(1 + (i % 8), 4096 + i)));
    return {
      value: rounded(quantile(times, 0.95)),
      unit: 'ms (p95)',
      runs: times.length,
      detail: {
        median: rounded(median(times)),
        lines: text(1, 1024).split('\n').length,
        ...(path.endsWith('.py') && { parsingAloneMs: rounded(median(parsing)) }),
      },
    };
  },
});

export const pythonEdit = editOf('python-edit', 'bench.py', program);
export const shellEdit = editOf('shell-edit', 'bench.sh', script);

const trainer = `import argparse
import torch
import yaml
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
${helpers(400)}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    config = yaml.safe_load(open(parser.parse_args().config))
    model = AutoModelForCausalLM.from_pretrained(config["model_name"], torch_dtype=torch.bfloat16)
    model.gradient_checkpointing_enable()
    loader = DataLoader(rows(config), batch_size=config["batch_size"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["learning_rate"])
    for epoch in range(config["epochs"]):
        for batch in loader:
            model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
`;

const ownConfig = (batch: number, length: number): string =>
  `model_name: NousResearch/Meta-Llama-3-8B\nbatch_size: ${batch}\nmax_length: ${length}\nlearning_rate: 0.0001\nepochs: 3\n`;

/** The same for a config of one's own beside the program that reads it. */
export const ownEdit: Bench = {
  name: 'own-edit',
  async run() {
    const { world, options } = await surroundings();
    const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
    writeFileSync(join(folder, 'train.py'), trainer);
    const files = new NodeFiles(folder);
    const near = { ...world, files, launchers: new Launchers(files, () => folder) };
    const path = join(folder, 'config.yaml');
    const times = await timed(RUNS, async i => {
      await analyze(path, ownConfig(1 + (i % 8), 1024 + 8 * i), near, options, NEVER);
    });
    rmSync(folder, { recursive: true });
    return {
      value: rounded(quantile(times, 0.95)),
      unit: 'ms (p95)',
      runs: times.length,
      detail: { median: rounded(median(times)), linesOfItsProgram: trainer.split('\n').length },
    };
  },
};

/** How fast a program of 500 lines without a run is turned away. */
export const pythonScan: Bench = {
  name: 'python-scan',
  async run() {
    const text = `import torch\nfrom transformers import AutoTokenizer\n${helpers(500)}`;
    const times = await timed(RUNS, () => couldBeRead(text, 'bench.py'));
    return {
      value: rounded(quantile(times, 0.95), 3),
      unit: 'ms (p95)',
      runs: times.length,
      detail: { median: rounded(median(times), 3), turnedAway: couldBeRead(text, 'bench.py') ? 0 : 1 },
    };
  },
};
