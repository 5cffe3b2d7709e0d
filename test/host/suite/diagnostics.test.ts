import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { actionsOn, fileOf, lensesOf, openFile, problemsOf, until, writeFile } from './ask';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';
const BATCH = 'per_device_train_batch_size';
/** The remedy that keeps the effective batch size. */
const SMALLER = /per_device_train_batch_size 4 → \d, accumulation 4 → \d+: −/;

async function openConfig(): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(fileOf(CONFIG));
  await vscode.window.showTextDocument(document);
  return document;
}

describe('problems', () => {
  it("are warnings on the key that owns them, with a code that opens the rule's page", async () => {
    const document = await openConfig();
    // The first answer may arrive before the GPU is known.
    const problem = await until('does-not-fit', async () =>
      (await problemsOf(document.uri)).find(
        ({ code }) => typeof code === 'object' && code.value === 'does-not-fit',
      ),
    );
    assert.equal(problem.severity, vscode.DiagnosticSeverity.Warning);
    assert.equal(document.getText(problem.range), BATCH);
    const code = problem.code as { target: vscode.Uri };
    assert.equal(code.target.scheme, 'command');
    assert.equal(code.target.path, 'headroom.showRule');
    assert.ok((problem.relatedInformation ?? []).length > 0);
  });

  it('disappear when the document closes', async () => {
    // A document that the suite itself opened stays open for a while.
    const text = 'base_model: Qwen/Qwen2.5-7B\nsequence_len: -4\nadapter: lora\n';
    const uri = await writeFile('gone.yml', text);
    await vscode.commands.executeCommand('vscode.open', uri);
    await problemsOf(uri);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await until('no problems', () => Promise.resolve(vscode.languages.getDiagnostics(uri).length === 0));
  });

  it('disappear while they are switched off, and return', async () => {
    const document = await openConfig();
    await problemsOf(document.uri);
    const settings = vscode.workspace.getConfiguration('headroom');
    await settings.update('editor.diagnostics', false, vscode.ConfigurationTarget.Workspace);
    await until('no problems', () =>
      Promise.resolve(vscode.languages.getDiagnostics(document.uri).length === 0),
    );
    await settings.update('editor.diagnostics', undefined, vscode.ConfigurationTarget.Workspace);
    await problemsOf(document.uri);
  });

  it('have the severity that the user sets', async () => {
    const document = await openConfig();
    const settings = vscode.workspace.getConfiguration('headroom');
    await settings.update(
      'rules.severity',
      { 'does-not-fit': 'error' },
      vscode.ConfigurationTarget.Workspace,
    );
    await until('error', async () => {
      const problems = await problemsOf(document.uri);
      return problems.some(({ severity }) => severity === vscode.DiagnosticSeverity.Error);
    });
    await settings.update('rules.severity', undefined, vscode.ConfigurationTarget.Workspace);
  });
});

describe('quick fixes', () => {
  it('are quick fixes if they cost only time, and rewrites if they change the result', async () => {
    const document = await openConfig();
    const actions = await actionsOn(document, BATCH, SMALLER);
    const batch = actions.find(({ title }) => SMALLER.test(title));
    const shorter = actions.find(({ title }) => title.includes('max_length'));
    assert.equal(batch?.kind?.value, vscode.CodeActionKind.QuickFix.value);
    assert.equal(shorter?.kind?.value, vscode.CodeActionKind.RefactorRewrite.value);
    const preferred = actions.filter(({ isPreferred }) => isPreferred).map(({ title }) => title);
    assert.deepEqual(preferred, ['Make it fit …']);
  });

  it('change only what their titles name', async () => {
    const document = await openConfig();
    const before = document.getText();
    const fix = (await actionsOn(document, BATCH, SMALLER)).find(({ title }) => SMALLER.test(title));
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);
    const lines = before.split('\n');
    const changed = document
      .getText()
      .split('\n')
      .filter((line, i) => line !== lines[i]);
    assert.equal(changed.length, 2);
    assert.match(changed[0] ?? '', /^per_device_train_batch_size: \d # worked on the A100$/);
    assert.match(changed[1] ?? '', /^gradient_accumulation_steps: \d+$/);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), before);
  });
});

describe('other files of a run', () => {
  const deepspeed = '{\n  "zero_optimization": { "stage": 3 },\n  "train_micro_batch_size_per_gpu": 7\n}\n';
  const config = [
    'base_model: Qwen/Qwen2.5-3B',
    'adapter: lora',
    'lora_target_linear: true',
    'lora_r: 8',
    'lora_alpha: 16',
    'sequence_len: 1024',
    'micro_batch_size: 1',
    'gradient_accumulation_steps: 4',
    'deepspeed: ds.json',
    '',
  ].join('\n');

  it('are read with unsaved changes, and a change reaches the config', async () => {
    const json = await openFile('other/ds.json', deepspeed);
    const document = await openFile('other/lora.yml', config);
    const before = await lensesOf(document.uri, /./);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(json.uri, new vscode.Range(1, 34, 1, 35), '0');
    await vscode.workspace.applyEdit(edit);
    await until('other answer', async () => {
      const now = await lensesOf(document.uri, /./);
      return now.join() !== before.join();
    });
    assert.ok(json.isDirty);
  });

  it('change together with the config in one fix, and one undo restores them', async () => {
    const batch = 'micro_batch_size: 64';
    const own = config.replace('micro_batch_size: 1', batch).replace('ds.json', 'step.json');
    const json = '{ "train_micro_batch_size_per_gpu": 64, "zero_optimization": { "stage": 0 } }\n';
    const other = await openFile('step/step.json', json);
    const document = await openFile('step/lora.yml', own);
    const wanted = /micro_batch_size 64 → \d+, .*also in step\.json: −/;
    const fix = (await actionsOn(document, 'micro_batch_size', wanted)).find(({ title }) =>
      wanted.test(title),
    );
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);
    const micro = /^micro_batch_size: (\d+)$/m.exec(document.getText())?.[1];
    assert.ok(micro !== undefined && micro !== '64');
    assert.equal(other.getText(), json.replace('gpu": 64', `gpu": ${micro}`));
    await vscode.commands.executeCommand('undo');
    await until('both as before', () =>
      Promise.resolve(document.getText() === own && other.getText() === json),
    );
  });

  it('get the findings about them, and the config says so', async () => {
    const json = await writeFile(
      'named/ds.json',
      '{ "train_batch_size": 7, "train_micro_batch_size_per_gpu": 2 }\n',
    );
    const document = await openFile('named/lora.yml', config);
    const problems = await problemsOf(json);
    const opener = problems[0]?.relatedInformation?.find(
      ({ location }) => location.uri.toString() === document.uri.toString(),
    );
    assert.ok(opener);
    await lensesOf(document.uri, /\d findings? in ds\.json/);
  });

  it('are watched on disk', async () => {
    const json = await writeFile('watched/ds.json', '{ "train_batch_size": 8 }\n');
    const document = await openFile('watched/lora.yml', config);
    await lensesOf(document.uri, /./);
    await writeFile('watched/ds.json', '{ "train_batch_size": 7, "train_micro_batch_size_per_gpu": 2 }\n');
    await problemsOf(json);
  });
});
