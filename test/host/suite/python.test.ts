import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { actionsOn, lensesOf, openFile, problemsOf, until, writeFile } from './ask';

const PROGRAM = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

BATCH = 4
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", dtype=torch.bfloat16)
args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=BATCH,
    gradient_accumulation_steps=4,
    max_length=4096,
)
trainer = SFTTrainer(model=model, args=args, train_dataset=data, peft_config=LoraConfig(r=16))
trainer.train()
`;

describe('a Python program', () => {
  it('has the answer at its run, and remedies on its arguments', async () => {
    const document = await openFile('python/train.py', PROGRAM);
    const lenses = await lensesOf(document.uri, /GB of 24 GB/);
    assert.ok(lenses.includes('Optimize …'), lenses.join(' | '));
    // A read while the next analysis runs has none.
    const [lens] = await until('a lens', async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
      );
      return found.length > 0 && found;
    });
    assert.match(document.lineAt(lens!.range.start.line).text, /^trainer = SFTTrainer/);
    const problems = await problemsOf(document.uri);
    const fits = problems.find(({ code }) => typeof code === 'object' && code.value === 'does-not-fit');
    assert.match(document.getText(fits?.range), /\w/);
    const actions = await actionsOn(
      document,
      'per_device_train_batch_size',
      /per_device_train_batch_size BATCH → [12]/,
    );
    const smaller = actions.find(({ title }) => title.includes('per_device_train_batch_size'));
    assert.ok(smaller?.edit);
    await vscode.workspace.applyEdit(smaller.edit);
    assert.match(
      document.getText(),
      /per_device_train_batch_size=[12],\n {4}gradient_accumulation_steps=(?:8|16),/,
    );
    const hovers = await until('hover', async () => {
      const at = document.positionAt(document.getText().indexOf('max_length'));
      const found = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        at,
      );
      return found.length > 0 && found;
    });
    const text = hovers.flatMap(({ contents }) => contents.map(one => (one as vscode.MarkdownString).value));
    assert.match(text.join('\n'), /= 4096 tokens/);
  });

  it('is silent if it is not a run, and answered in a notebook opened as text', async () => {
    const silent = await openFile(
      'python/other.py',
      'from trl import SFTTrainer\n\nclass Mine(SFTTrainer):\n    pass\n',
    );
    const notebook = {
      cells: [{ cell_type: 'code', metadata: {}, outputs: [], source: PROGRAM.split(/(?<=\n)/) }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    };
    const uri = await writeFile('python/train.ipynb', JSON.stringify(notebook, null, 1));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    await lensesOf(uri, /GB of 24 GB/);
    assert.deepEqual(
      vscode.languages.getDiagnostics(silent.uri).filter(({ source }) => source === 'Headroom'),
      [],
    );
  });
});
