import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { actionsOn, lensesOf, openFile, problemsOf, until } from './ask';

/** A job that is too large for the chosen GPU. */
const CONFIG = `# torchtitan
[model]
name = "llama3"
flavor = "8B"

[training]
local_batch_size = 8
seq_len = 8192 # tokens

[activation_checkpoint]
mode = "none"
`;
const SHORTER = /training\.seq_len 8192 → \d+/;

describe('TOML', () => {
  it('has lenses, problems, hovers and fixes, without an extension for its language', async () => {
    const document = await openFile('train.toml', CONFIG);
    const { uri } = document;
    const problem = await until('does-not-fit', async () =>
      (await problemsOf(uri)).find(({ code }) => typeof code === 'object' && code.value === 'does-not-fit'),
    );
    const owner = document.getText(problem.range);
    assert.ok((await lensesOf(uri, /GB/)).length > 0);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      new vscode.Position(7, 2),
    );
    assert.ok(hovers.length > 0);
    const fixes = await actionsOn(document, owner, SHORTER);
    const edit = fixes.find(({ title }) => SHORTER.test(title))?.edit;
    assert.ok(edit);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(document.getText(), /^seq_len = \d+ # tokens$/m);
    assert.equal(document.getText().replace(/seq_len = \d+/, 'seq_len = 8192'), CONFIG);
  });

  it('of a package has none of them', async () => {
    const { uri } = await openFile('pyproject.toml', '[project]\nname = "x"\ndependencies = ["torch"]\n');
    // An answer about another file shows that this one was looked at before.
    const other = await openFile('broken.toml', CONFIG.replace('seq_len = 8192', 'seq_len = -1'));
    await problemsOf(other.uri);
    assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
  });
});
