import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { actionsOn, fileOf, lensesOf, openFile, problemsOf, until } from './ask';

const OWN = `model:
  base: NousResearch/Meta-Llama-3-8B
  load_in_4bit: true
  lora: {r: 16, alpha: 32}
train:
  batch_size: 1
  epochs: 3
  lr: 2.0e-4
  optimizer: adamw
  bf16: true
  gradient_checkpointing: true
data:
  max_length: 512
`;

const gone = async (path: string): Promise<void> => {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await vscode.workspace.fs.delete(fileOf(path), { recursive: true });
};

const hoverText = (document: vscode.TextDocument, words: string, wanted: RegExp): Promise<string> =>
  until(`hover ${wanted.source}`, async () => {
    const at = document.positionAt(document.getText().indexOf(words) + 1);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      at,
    );
    const text = hovers
      .flatMap(({ contents }) => contents)
      .map(one => (one instanceof vscode.MarkdownString ? one.value : ''))
      .join('\n');
    return wanted.test(text) && text;
  });

const completions = (
  document: vscode.TextDocument,
  after: string,
  wanted: string,
): Promise<readonly string[]> =>
  until(`completion ${wanted}`, async () => {
    const at = document.positionAt(document.getText().indexOf(after) + after.length);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      at,
    );
    const labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    return labels.includes(wanted) && labels;
  });

/** Replaces words of a document, as typing does. */
async function type(document: vscode.TextDocument, words: string, by: string): Promise<void> {
  const start = document.getText().indexOf(words);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + words.length));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, by);
  await vscode.workspace.applyEdit(edit);
}

describe('a config whose keys are guessed by name', () => {
  after(() => gone('own'));

  it('says so, and shows what each key was taken for', async () => {
    const document = await openFile('own/train.yaml', OWN);
    const lenses = await lensesOf(document.uri, /keys guessed by name/);
    assert.match(lenses[0] ?? '', /^≈ .* of 24 GB · RTX 4090 · keys guessed by name: perhaps fits$/);
    assert.ok(lenses.includes('Teach Headroom This Config Format …'));
    const text = await hoverText(document, 'batch_size', /keys guessed by name/);
    assert.match(text, /Guessed from its name: the samples of a step on one GPU/);
    assert.match(text, /Teach Headroom This Config Format/);
    assert.deepEqual(
      vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Headroom'),
      [],
    );
  });

  it('becomes a workspace dialect that reads the config from then on', async () => {
    const document = await openFile('own/train.yaml', OWN);
    await actionsOn(document, 'batch_size', /Teach Headroom this config format/);
    await vscode.commands.executeCommand('headroom.makeDialect', document.uri.toString());
    const made = await until('dialect file', () => {
      const open = vscode.window.activeTextEditor?.document;
      return Promise.resolve(open?.uri.path.includes('/.headroom/dialects/') && open);
    });
    try {
      assert.match(made.getText(), /How Headroom read own\/train.yaml/);
      assert.match(made.getText(), /microBatchSize:\n {4}keys: train.batch_size/);
      await lensesOf(document.uri, /^\$\(pass\).* · fits · RTX 4090$/);
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.delete(made.uri);
    }
  });
});

describe('a dialect of the workspace', () => {
  const DIALECT = [
    'id: mine',
    'recognise:',
    '  strong: [engine.bs]',
    'quantities:',
    '  model: { keys: engine.net }',
    '  microBatchSize:',
    '    keys: engine.bs',
    '    scope: everywhere',
    '  seqLen: { default: 512, source: train.py }',
    '  method: { always: full, source: train.py }',
    '  precision: { keys: engine.half, map: { true: bf16-mixed, false: fp32 } }',
    '  optimizer: { default: adamw, source: train.py }',
    'help:',
    '  engine.bs: { text: Rows of a step. }',
    '',
  ].join('\n');
  const CONFIG = 'engine:\n  net: NousResearch/Meta-Llama-3-8B\n  bs: 2\n  half: true\n';
  const PLACE = '.headroom/dialects/mine.yaml';

  after(async () => {
    await gone('mine');
    await vscode.workspace.fs.delete(fileOf(PLACE));
  });

  it('shows errors in place, which disappear when fixed', async () => {
    const dialect = await openFile(PLACE, DIALECT);
    const [problem] = await problemsOf(dialect.uri);
    assert.ok(problem);
    assert.equal(dialect.getText(problem.range), 'scope');
    assert.match(problem.message, /everywhere, which is not one of device, node, global/);
    assert.ok((await completions(dialect, 'scope: ', 'global')).includes('device'));
    assert.match(await hoverText(dialect, 'scope', /What a number counts/), /Dialect of this workspace/);
    await type(dialect, 'everywhere', 'device');
    await until('no problems', () =>
      Promise.resolve(
        vscode.languages.getDiagnostics(dialect.uri).every(({ source }) => source !== 'Headroom'),
      ),
    );
  });

  it('reads configs while it is typed, before it is saved', async () => {
    const config = await openFile('mine/run.yaml', CONFIG);
    await lensesOf(config.uri, /GB of 24 GB · does not fit/);
    assert.match(await hoverText(config, 'bs', /Rows of a step/), /on each GPU/);
    assert.ok((await completions(config, 'half: ', 'true')).includes('false'));
    const dialect = await vscode.workspace.openTextDocument(fileOf(PLACE));
    await type(dialect, 'engine.bs]', 'engine.batch]');
    await until('no lens', async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        config.uri,
      );
      return lenses.length === 0;
    });
    await type(dialect, 'engine.batch]', 'engine.bs]');
    await lensesOf(config.uri, /does not fit/);
  });
});

describe('a workspace dialect from somebody else', () => {
  const PLACE = '.headroom/dialects/strange.yaml';
  const BEACON = '![beacon](https://evil.example/p.png)';
  const LINK = '[Fix](command:headroom.profileConfig)';
  const DIALECT = [
    'id: strange',
    'recognise:',
    '  strong: [engine.rows]',
    'quantities:',
    '  model: { keys: engine.net }',
    '  microBatchSize: { keys: engine.rows }',
    '  method: { always: full, source: train.py }',
    'help:',
    '  engine.rows:',
    `    text: 'Rows ${BEACON} ${LINK} <img src="https://evil.example/q.png">'`,
    `    values: ['1\` ${BEACON} ${LINK} \`', '${BEACON}']`,
    `    default: '\`\`2\`\` ${BEACON} ${LINK}'`,
    '',
  ].join('\n');

  after(async () => {
    await gone('strange');
    await vscode.workspace.fs.delete(fileOf(PLACE));
  });

  it('shows its help in a hover as plain text, without pictures or links', async () => {
    const dialect = await openFile(PLACE, DIALECT);
    const config = await openFile(
      'strange/run.yaml',
      'engine:\n  net: NousResearch/Meta-Llama-3-8B\n  rows: 2\n',
    );
    const text = await hoverText(config, 'rows', /beacon/);
    assert.deepEqual(
      vscode.languages.getDiagnostics(dialect.uri).filter(({ source }) => source === 'Headroom'),
      [],
    );
    // As the editor's own Markdown shows it.
    const html = await vscode.commands.executeCommand<string>('markdown.api.render', text);
    const words = html
      .replace(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<');
    // The bar is Headroom's own picture.
    const foreign =
      /<img src="(?!data:image\/svg)|evil\.example[^<]*"|href="command:headroom\.profileConfig"/;
    assert.doesNotMatch(html, foreign, html);
    assert.equal(words.split(BEACON).length - 1, 4, words);
    assert.equal(words.split(LINK).length - 1, 3, words);
  });
});
