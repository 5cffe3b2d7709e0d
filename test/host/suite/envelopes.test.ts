import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { lensesOf, openFile, problemsOf, until, writeFile } from './ask';

/** The hover at a word of a document, once it contains our text. */
function hoverOn(document: vscode.TextDocument, word: string, wanted: RegExp): Promise<string> {
  const at = document.positionAt(document.getText().indexOf(word) + 1);
  return until(`hover ${wanted.source}`, async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      at,
    );
    const texts = hovers.flatMap(({ contents }) =>
      contents.map(content => (content instanceof vscode.MarkdownString ? content.value : '')),
    );
    return texts.find(text => wanted.test(text));
  });
}

/** Waits for an inlay hint with these words. */
async function hintOn(document: vscode.TextDocument, words: string): Promise<void> {
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  await until(`a hint ${words}`, async () => {
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
      'vscode.executeInlayHintProvider',
      document.uri,
      all,
    );
    return hints.some(({ label }) => typeof label === 'string' && label.includes(words));
  });
}

const TUNE = `base_model: NousResearch/Meta-Llama-3-8B
datasets: [{path: d, type: alpaca}]
adapter: qlora
load_in_4bit: true
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 2048
micro_batch_size: 2
gradient_accumulation_steps: 4
gradient_checkpointing: true
bf16: true
`;

describe('several files, one run', () => {
  it('composes a Hydra tree from the open group', async () => {
    await writeFile(
      'tree/configs/train.yaml',
      'defaults:\n  - _self_\n  - data: small\n  - trainer: gpu\nname: x\n',
    );
    await writeFile(
      'tree/configs/trainer/gpu.yaml',
      '_target_: lightning.pytorch.trainer.Trainer\ndevices: 2\naccelerator: gpu\nprecision: bf16-mixed\n',
    );
    const document = await openFile(
      'tree/configs/data/small.yaml',
      '_target_: x.SmallDataModule\nbatch_size: 64\nnum_workers: 2\n',
    );
    // Another group states the number of GPUs.
    await hintOn(document, '64 × 1 × 2 GPUs = 128');
  });

  it('judges and edits the vLLM command of a Compose file in its own words', async () => {
    const document = await openFile(
      'deploy/compose.yaml',
      `services:
  llm:
    image: vllm/vllm-openai:v0.11.0
    command: --model NousResearch/Meta-Llama-3-8B --max-model-len 8192 --gpu-memory-utilization 0.9
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}
`,
    );
    await lensesOf(document.uri, /llm.* of 24 GB/);
    await hoverOn(document, '--max-model-len', /8,?192/);
  });

  it('shows findings of an Axolotl config in the manifest of its config map', async () => {
    const wrong = TUNE.replace('sequence_len: 2048', 'sequence_len: 2048\nlora_dropuot: 0.1');
    const document = await openFile(
      'deploy/job.yaml',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tune}\ndata:\n  tune.yaml: |\n${wrong.replaceAll(/^(?=.)/gm, '    ')}`,
    );
    await lensesOf(document.uri, /tune\.yaml.* of 24 GB/);
    const problems = await problemsOf(document.uri);
    assert.ok(
      problems.every(({ range }) => range.start.line > 4),
      'findings stand within the map',
    );
  });

  it('shows the verdict on a batch script and on the config that it starts', async () => {
    const config = await openFile('jobs/tune.yaml', TUNE);
    await lensesOf(config.uri, /of 24 GB/);
    const script = await openFile(
      'jobs/tune.sbatch',
      '#!/bin/bash\n#SBATCH --gres=gpu:h100:2\nsrun axolotl train tune.yaml --micro-batch-size 8\n',
    );
    assert.equal(script.languageId, 'shellscript');
    await lensesOf(script.uri, /of (?:24|80) GB/);
    await lensesOf(config.uri, /tune\.sbatch · .* of (?:24|80) GB| of (?:24|80) GB.* · tune\.sbatch/);
    await hoverOn(script, '--micro-batch-size', /8/);
  });

  it('reads configs that a script lists as one run, whichever is open, without the script', async () => {
    await writeFile(
      'lists/fit.sh',
      '#!/bin/bash\nCUDA_VISIBLE_DEVICES=0,1 python main.py fit --config base.yaml --config big.yaml\n',
    );
    await writeFile('lists/big.yaml', 'trainer: {accumulate_grad_batches: 4}\nmodel: {class_path: m.Big}\n');
    const base = await openFile(
      'lists/base.yaml',
      'trainer: {devices: 1, precision: bf16-mixed}\nmodel: {class_path: m.Net}\ndata: {class_path: d.I, init_args: {batch_size: 8}}\n',
    );
    await lensesOf(base.uri, /fit\.sh · | · fit\.sh$/);
    // Values that only the other file states are shown here, too.
    await hoverOn(base, 'precision', /bf16-mixed/);
    await hintOn(base, '8 × 4 × 2 GPUs = 64');
  });

  it('finds on disk what starts a config, and looks again when a script changes', async () => {
    const script = (gpus: number): string =>
      `#!/bin/bash\n#SBATCH --gres=gpu:${gpus}\nsrun axolotl train found.yaml\n`;
    await writeFile('found/one.sbatch', script(2));
    const config = await openFile('found/found.yaml', TUNE);
    await lensesOf(config.uri, / of 24 GB.* · one\.sbatch$/);
    await writeFile('found/two.sbatch', script(4));
    await lensesOf(config.uri, / · started differently$/);
    await writeFile('found/two.sbatch', script(2));
    await lensesOf(config.uri, / · one\.sbatch \+1$/);
  });
});

describe('files that start servers, without a language of their own', () => {
  const files = {
    'images/Dockerfile':
      'FROM vllm/vllm-openai:v0.11.0\nCMD ["--model", "meta-llama/Llama-3.1-8B-Instruct", "--max-model-len", "8192"]\n',
    'units/vllm.service':
      '[Service]\nExecStart=/usr/bin/vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192\n',
    'units/vllm.container':
      '[Container]\nImage=docker.io/vllm/vllm-openai:v0.11.0\nExec=--model meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192\n',
  };
  for (const [path, text] of Object.entries(files)) {
    it(`have lenses and a hover: ${path}`, async () => {
      const document = await openFile(path, text);
      assert.ok((await lensesOf(document.uri, /GB/)).length > 0);
      await hoverOn(document, 'max-model-len', /8,?192/);
    });
  }
});
