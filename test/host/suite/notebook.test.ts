import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { actionsOn, lensesOf, problemsOf, until, writeFile } from './ask';

const SETUP = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

BATCH = 4
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", dtype=torch.bfloat16)`;

const ARGS = `args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=BATCH,
    gradient_accumulation_steps=4,
    max_length=4096,
)`;

const RUN = `trainer = SFTTrainer(model=model, args=args, train_dataset=data, peft_config=LoraConfig(r=16))
trainer.train()`;

const PRINTED = { output_type: 'stream', name: 'stdout', text: ['kept\n'] };

const cell = (id: string, source: string) => ({
  cell_type: 'code',
  execution_count: 1,
  id,
  metadata: {},
  outputs: [PRINTED],
  source: source.split(/(?<=\n)/),
});

const NOTEBOOK = {
  cells: [
    { cell_type: 'markdown', id: 'title', metadata: {}, source: ['# SFTTrainer(args)'] },
    cell('setup', SETUP),
    cell('args', ARGS),
    cell('run', RUN),
  ],
  metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
  nbformat: 4,
  nbformat_minor: 5,
};

interface Opened {
  readonly notebook: vscode.NotebookDocument;
  readonly setup: vscode.TextDocument;
  readonly args: vscode.TextDocument;
  readonly run: vscode.TextDocument;
}

async function opened(name: string): Promise<Opened> {
  const uri = await writeFile(name, JSON.stringify(NOTEBOOK, null, 1));
  return shown(await vscode.workspace.openNotebookDocument(uri));
}

async function shown(notebook: vscode.NotebookDocument): Promise<Opened> {
  await vscode.window.showNotebookDocument(notebook);
  const [setup, args, run] = notebook
    .getCells()
    .filter(({ kind }) => kind === vscode.NotebookCellKind.Code)
    .map(({ document }) => document);
  assert.ok(setup && args && run);
  return { notebook, setup, args, run };
}

describe('cells of a notebook', () => {
  after(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('have the answer above the call that runs, with what earlier cells define', async () => {
    const { setup, args, run } = await opened('notebooks/answer.ipynb');
    const lenses = await lensesOf(run.uri, /GB of 24 GB/);
    assert.ok(lenses.includes('Optimize …'), lenses.join(' | '));
    for (const other of [setup, args]) {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        other.uri,
        100,
      );
      assert.deepEqual(
        found.map(({ command }) => command?.title),
        [],
      );
    }
  });

  it('have hints, sums and problems at their own arguments', async () => {
    const { setup, args } = await opened('notebooks/arguments.ipynb');
    const whole = new vscode.Range(0, 0, args.lineCount, 0);
    const hints = await until('inlay hints', async () => {
      const found = await vscode.commands.executeCommand<vscode.InlayHint[]>(
        'vscode.executeInlayHintProvider',
        args.uri,
        whole,
      );
      return found.length > 0 && found;
    });
    assert.match(
      hints.map(({ label }) => (typeof label === 'string' ? label : '')).join(),
      /4 × 4 × 1 GPU = 16/,
    );
    assert.match(args.lineAt(hints[0]!.position.line).text, /per_device|accumulation/);
    const hovers = await until('hover', async () => {
      const at = args.positionAt(args.getText().indexOf('max_length'));
      const found = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        args.uri,
        at,
      );
      return found.length > 0 && found;
    });
    const text = hovers.flatMap(({ contents }) => contents.map(one => (one as vscode.MarkdownString).value));
    assert.match(text.join('\n'), /= 4096 tokens/);
    const problems = [...(await problemsOf(args.uri)), ...vscode.languages.getDiagnostics(setup.uri)];
    assert.ok(
      problems.some(({ code }) => typeof code === 'object' && code.value === 'tight'),
      problems.map(({ message }) => message).join(' | '),
    );
  });

  it('get a fix in the cell, which one undo takes back; outputs and ids stay', async function () {
    this.timeout(60_000);
    const { notebook, args } = await opened('notebooks/fix.ipynb');
    const wanted = /per_device_train_batch_size BATCH → [12]/;
    const actions = await actionsOn(args, 'per_device_train_batch_size', wanted);
    const smaller = actions.find(({ title }) => wanted.test(title));
    assert.ok(smaller?.edit);
    await vscode.workspace.applyEdit(smaller.edit);
    assert.match(args.getText(), /batch_size=[12],\n {4}gradient_accumulation_steps=(?:8|16),/);
    await lensesOf(notebook.cellAt(3).document.uri, /GB of 24 GB/);
    await notebook.save();
    const saved = JSON.parse(
      new TextDecoder().decode(await vscode.workspace.fs.readFile(notebook.uri)),
    ) as typeof NOTEBOOK;
    assert.deepEqual(
      saved.cells.map(({ id }) => id),
      NOTEBOOK.cells.map(({ id }) => id),
    );
    assert.deepEqual(
      saved.cells.map(one => ('outputs' in one ? one.outputs.length : 0)),
      [0, 1, 1, 1],
    );
    const editor = vscode.window.activeNotebookEditor;
    assert.ok(editor);
    editor.selection = new vscode.NotebookRange(2, 3);
    await vscode.commands.executeCommand('notebook.cell.edit');
    await vscode.commands.executeCommand('undo');
    await until('the text as before', seen => {
      seen([args.getText()]);
      return Promise.resolve(args.getText() === ARGS);
    });
  });

  it('are answered while untitled, and follow what is typed in another cell', async () => {
    const data = new vscode.NotebookData(
      [SETUP, ARGS, RUN].map(
        text => new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, 'python'),
      ),
    );
    const { setup, run } = await shown(await vscode.workspace.openNotebookDocument('jupyter-notebook', data));
    const [before] = await lensesOf(run.uri, /GB of 24 GB/);
    const edit = new vscode.WorkspaceEdit();
    const at = setup.getText().indexOf('4');
    edit.replace(setup.uri, new vscode.Range(setup.positionAt(at), setup.positionAt(at + 1)), '1');
    assert.equal(setup.getText().slice(at - 8, at), 'BATCH = ');
    await vscode.workspace.applyEdit(edit);
    await until('another answer', async seen => {
      const [now] = await lensesOf(run.uri, /GB of 24 GB/);
      seen([now ?? '']);
      return now !== before;
    });
  });

  it('explain an out-of-memory error of a cell on the arguments, until it is gone', async () => {
    const { notebook, setup, args } = await opened('notebooks/failed.ipynb');
    const message =
      'CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.10 GiB is free. Of the allocated memory 21.50 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.';
    const error = {
      name: 'OutOfMemoryError',
      message,
      stack: `Traceback (most recent call last)\n${message}`,
    };
    const outputs = [new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem.error(error)])];
    await outputOf(notebook, 3, outputs);
    const ranOut = () =>
      [setup, args, notebook.cellAt(3).document]
        .flatMap(({ uri }) => vscode.languages.getDiagnostics(uri))
        .filter(({ code }) => typeof code === 'object' && code.value === 'ran-out-of-memory');
    await until('an explanation', () => Promise.resolve(ranOut().length === 1));
    assert.match(ranOut()[0]!.message, /out of memory|ran out/i);
    await outputOf(notebook, 3, []);
    await until('no explanation', () => Promise.resolve(ranOut().length === 0));
  });
});

async function outputOf(
  notebook: vscode.NotebookDocument,
  index: number,
  outputs: vscode.NotebookCellOutput[],
): Promise<void> {
  const { document } = notebook.cellAt(index);
  const cell = new vscode.NotebookCellData(
    vscode.NotebookCellKind.Code,
    document.getText(),
    document.languageId,
  );
  cell.outputs = outputs;
  const edit = new vscode.WorkspaceEdit();
  edit.set(notebook.uri, [
    vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(index, index + 1), [cell]),
  ]);
  await vscode.workspace.applyEdit(edit);
}
