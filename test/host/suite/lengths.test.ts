import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, lensesOf, openFile, until } from './ask';

const CONFIG = [
  'base_model: meta-llama/Llama-3.1-8B',
  'adapter: lora',
  'lora_r: 16',
  'lora_alpha: 32',
  'lora_target_linear: true',
  'sequence_len: 8192',
  'micro_batch_size: 4',
  'gradient_accumulation_steps: 1',
  'gradient_checkpointing: true',
  'bf16: true',
  'datasets:',
  '  - {path: rows.jsonl, type: completion}',
].join('\n');

async function hoverAt(document: vscode.TextDocument, word: string): Promise<string> {
  const position = document.positionAt(document.getText().indexOf(word) + 1);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    position,
  );
  return hovers
    .flatMap(({ contents }) => contents)
    .map(content => (content instanceof vscode.MarkdownString ? content.value : ''))
    .join('\n');
}

describe('lengths of a config’s data', () => {
  const rows = fileOf('lengths/rows.jsonl');

  before(async () => {
    const text = `${JSON.stringify({ text: 'word '.repeat(200) })}\n`.repeat(50);
    await vscode.workspace.fs.writeFile(rows, new TextEncoder().encode(text));
  });
  after(() => vscode.workspace.fs.delete(fileOf('.headroom/lengths.jsonl')).then(undefined, () => undefined));

  it("are counted by the command, and the lens and hover show the data's answer next to the limit's", async () => {
    const document = await openFile('lengths/lora.yaml', `${CONFIG}\n`);
    await lensesOf(document.uri, /GB of 24 GB/);
    await vscode.commands.executeCommand('headroom.countLengths', document.uri.toString(), '');
    await lensesOf(document.uri, /your data ≈ \d+\.\d GB/);
    await until('the hover has the lengths', async () => {
      const text = await hoverAt(document, 'sequence_len');
      return text.includes('50 rows of rows.jsonl: mean about 250 tokens') && text.includes('data:image/svg');
    });
    const found = vscode.languages.getDiagnostics(document.uri).map(({ code }) => JSON.stringify(code));
    assert.ok(
      found.some(code => code.includes('limit-above-data')),
      found.join(),
    );
  });

  it('are marked as outdated after the data change', async () => {
    const document = await vscode.workspace.openTextDocument(fileOf('lengths/lora.yaml'));
    await vscode.workspace.fs.writeFile(rows, new TextEncoder().encode('{"text":"other"}\n'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, document.positionAt(document.getText().length), '# changed\n');
    await vscode.workspace.applyEdit(edit);
    await until('the hover says that the data changed', async () =>
      (await hoverAt(document, 'sequence_len')).includes('The data changed after the count'),
    );
  });
});
