import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, lensesOf, openFile, problemsOf, until, writeFile } from './ask';

const CONFIG = 'axolotl/llama-3.1-8b-qlora.yml';

async function openConfig(): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(fileOf(CONFIG));
  await vscode.window.showTextDocument(document);
  return document;
}

const hintsOf = (document: vscode.TextDocument, range: vscode.Range) =>
  vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, range);

describe('code lens', () => {
  it('shows what the run needs and whether it fits', async () => {
    const document = await openConfig();
    const lenses = await lensesOf(document.uri, /GB of 24 GB/);
    assert.match(lenses[0] ?? '', /^\$\(pass\)\u00a0≈ \d+\.\d GB of 24 GB · fits · RTX 4090$/);
  });

  it('shows what is missing, and its finding shows what to do', async () => {
    const keys = [
      'base_model: nobody/unheard-of',
      'adapter: lora',
      'lora_r: 8',
      'lora_alpha: 16',
      'lora_target_linear: true',
      'sequence_len: 512',
      'micro_batch_size: 1',
      'gradient_accumulation_steps: 1',
    ];
    const document = await openFile('unknown/lora.yml', `${keys.join('\n')}\n`);
    await lensesOf(
      document.uri,
      /^\$\(question\)\u00a0Can't estimate: model nobody\/unheard-of isn't known$/,
    );
    const problems = await problemsOf(document.uri);
    const problem = problems.find(({ code }) => typeof code === 'object' && code.value === 'unknown-model');
    assert.ok(problem);
    assert.equal(document.getText(problem.range), 'base_model');
    for (const part of [
      'huggingface/hub',
      'next to this config',
      'Download its config.json (`--download` in a terminal)',
    ]) {
      assert.ok(problem.message.includes(part), problem.message);
    }
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      problem.range,
    );
    assert.deepEqual(
      actions.slice(0, 4).map(({ title, command }) => [title, command?.command]),
      [
        ['Download config.json from the Hub', 'headroom.downloadModelConfig'],
        ['Estimate as a similar model …', 'headroom.estimateAs'],
        ['Describe this model …', 'headroom.describeModel'],
        ['Dry run of your own code …', 'headroom.profileConfig'],
      ],
    );
    await lensesOf(document.uri, /^Download config\.json$/);
    await vscode.commands.executeCommand('headroom.describeModel', document.uri, '');
    const described = vscode.window.activeTextEditor?.document;
    assert.match(described?.uri.path ?? '', /\.headroom\/models\/unheard-of\.yaml$/);
    assert.match(described?.getText() ?? '', /^model: "nobody\/unheard-of"/m);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await vscode.workspace.fs.delete(described!.uri);
    // The answer follows as soon as the file exists.
    const shapes = { model_type: 'llama', hidden_size: 512, intermediate_size: 1024, num_hidden_layers: 4 };
    const rest = { num_attention_heads: 8, vocab_size: 1000, max_position_embeddings: 512 };
    // A watcher takes a moment to start, and there is no event for it.
    let written = 0;
    await until('answer', async () => {
      if (Date.now() - written > 1000) {
        await writeFile('unknown/nobody/unheard-of/config.json', JSON.stringify({ ...shapes, ...rest }));
        written = Date.now();
      }
      return (await lensesOf(document.uri, /./)).some(lens => /≈ .* of 24 GB/.test(lens));
    });
  });

  it('disappears while it is switched off', async () => {
    const document = await openConfig();
    await lensesOf(document.uri, /GB/);
    const settings = vscode.workspace.getConfiguration('headroom');
    await settings.update('editor.codeLens', false, vscode.ConfigurationTarget.Workspace);
    await until('no lens', async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
      );
      return lenses.length === 0;
    });
    await settings.update('editor.codeLens', undefined, vscode.ConfigurationTarget.Workspace);
    await lensesOf(document.uri, /GB/);
  });

  it('follows the target', async () => {
    const document = await openConfig();
    const settings = vscode.workspace.getConfiguration('headroom');
    await settings.update('target.gpu', 'A100 80GB', vscode.ConfigurationTarget.Workspace);
    await lensesOf(document.uri, /of 80 GB · fits · A100 SXM4 80GB$/);
    await settings.update('target.gpu', '80GB', vscode.ConfigurationTarget.Workspace);
    await lensesOf(document.uri, /of 80 GB · fits$/);
    await settings.update('target.gpu', 'RTX 4090', vscode.ConfigurationTarget.Workspace);
    await lensesOf(document.uri, /of 24 GB/);
  });
});

describe('inlay hints', () => {
  it('appear only at the batch keys of the requested range', async () => {
    const document = await openConfig();
    const whole = document.validateRange(new vscode.Range(0, 0, 1000, 0));
    const all = await until('hints', async () => {
      const hints = await hintsOf(document, whole);
      return hints.length === 2 && hints;
    });
    const lines = all.map(({ position }) => document.lineAt(position.line).text.split(':')[0]).sort();
    assert.deepEqual(lines, ['gradient_accumulation_steps', 'micro_batch_size']);
    const above = await hintsOf(document, new vscode.Range(0, 0, 10, 0));
    assert.deepEqual(above, []);
  });
});

describe('help on keys', () => {
  const TEXT = [
    'tokenizer:',
    '  _component_: torchtune.models.llama3.llama3_tokenizer',
    '  max_seq_len: 2048',
    'model:',
    '  _component_: torchtune.models.llama3.lora_llama3_8b',
    'checkpointer:',
    '  _component_: torchtune.training.FullModelHFCheckpointer',
    'optimizer:',
    '  _component_: torch.optim.AdamW',
    'batch_size: 2',
    'dtype: bf16',
    'optimizer_in_bwd: ',
  ];

  it('explains keys that are not part of the memory estimate', async () => {
    const document = await openFile('torchtune/help.yaml', `${TEXT.join('\n')}\n`);
    const position = document.positionAt(document.getText().indexOf('optimizer_in_bwd') + 2);
    const [hover] = await until('hover', async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        position,
      );
      return hovers.length > 0 && hovers;
    });
    const { value } = hover?.contents[0] as vscode.MarkdownString;
    assert.match(value, /torchtune/);
    assert.match(value, /Values: `True`, `False`/);
  });

  it('offers the values of a key with few values', async () => {
    const document = await openFile('torchtune/values.yaml', `${TEXT.join('\n')}\n`);
    const position = document.lineAt(TEXT.length - 1).range.end;
    const labels = await until('completions', async () => {
      const list = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        position,
      );
      const own = list.items.filter(({ detail }) => detail === 'torchtune').map(({ label }) => label);
      return own.length > 0 && own;
    });
    assert.deepEqual([...labels].sort(), ['False', 'True']);
  });

  it('offers the keys of the format that the config lacks', async () => {
    const document = await openFile('torchtune/keys.yaml', `${TEXT.join('\n')}\ngradient_\n`);
    const labels = await until('keys', async () => {
      const list = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        document.lineAt(TEXT.length).range.end,
      );
      const own = list.items.filter(({ kind }) => kind === vscode.CompletionItemKind.Property);
      return own.length > 0 && own.map(({ label }) => (typeof label === 'string' ? label : label.label));
    });
    assert.ok(labels.includes('gradient_accumulation_steps'), labels.join(' '));
    assert.ok(!labels.includes('optimizer_in_bwd'), labels.join(' '));
  });

  it('renames a misspelled key', async () => {
    const text = `${TEXT.join('\n')}\ngradient_acumulation_steps: 4\n`;
    const document = await openFile('torchtune/slip.yaml', text);
    const at = document.lineAt(TEXT.length).range;
    const action = await until('rename', async () => {
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        at,
      );
      return actions.find(({ title }) => title === 'Rename to gradient_accumulation_steps') ?? false;
    });
    assert.ok(action.edit);
    await vscode.workspace.applyEdit(action.edit);
    assert.equal(document.lineAt(TEXT.length).text, 'gradient_accumulation_steps: 4');
  });
});

describe('hover', () => {
  const hoverAt = async (document: vscode.TextDocument, key: string): Promise<readonly vscode.Hover[]> => {
    const position = document.positionAt(document.getText().indexOf(key) + 1);
    return vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      position,
    );
  };

  it('shows the estimate, a picture, and links that only run our commands', async () => {
    const document = await openConfig();
    const [hover] = await until('hover', async () => {
      const hovers = await hoverAt(document, 'sequence_len');
      return hovers.length > 0 && hovers;
    });
    const content = hover?.contents[0] as vscode.MarkdownString;
    assert.match(content.value, /!\[weights .*\]\(data:image\/svg\+xml;utf8,%3Csvg/);
    assert.match(content.value, /svg%3E\) logits and loss \d/);
    const trusted = content.isTrusted as { readonly enabledCommands: readonly string[] };
    assert.deepEqual(
      trusted.enabledCommands.filter(command => !command.startsWith('headroom.')),
      [],
    );
    assert.equal(document.getText(hover?.range), 'sequence_len');
  });

  it('stays away from keys that do not affect memory', async () => {
    const document = await openConfig();
    await lensesOf(document.uri, /GB/);
    assert.deepEqual(await hoverAt(document, 'wandb_project'), []);
  });
});

describe('files that are not configs', () => {
  it('get no features', async () => {
    const document = await openFile('compose.yaml', 'services:\n  app:\n    image: nginx\n    ports: [80]\n');
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.deepEqual(lenses, []);
    assert.deepEqual(vscode.languages.getDiagnostics(document.uri), []);
  });

  it('get features as soon as they become configs', async () => {
    const document = await openFile('new.yml', 'a: 1\n');
    const edit = new vscode.WorkspaceEdit();
    const config = 'base_model: Qwen/Qwen2.5-3B\nadapter: qlora\nsequence_len: 512\nmicro_batch_size: 1\n';
    edit.replace(document.uri, new vscode.Range(0, 0, 1, 0), `${config}gradient_accumulation_steps: 1\n`);
    await vscode.workspace.applyEdit(edit);
    await lensesOf(document.uri, /./);
  });
});

describe('commands', () => {
  it('include every command of the manifest', async () => {
    await openConfig();
    const all = new Set(await vscode.commands.getCommands(true));
    const extension = vscode.extensions.getExtension('gpu-headroom.gpu-headroom');
    const manifest = extension?.packageJSON as { contributes: { commands: { command: string }[] } };
    const missing = manifest.contributes.commands.filter(({ command }) => !all.has(command));
    assert.deepEqual(missing, []);
  });

  it('open an explanation that follows edits', async () => {
    await openConfig();
    await vscode.commands.executeCommand('headroom.explain');
    const page = await until('page', () => {
      const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'headroom-explanation');
      return Promise.resolve(open);
    });
    assert.match(page.getText(), /^# llama-3\\?\.1-8b-qlora\\?\.yml/);
    assert.match(page.getText(), /As axolotl .* reads it/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('check the whole workspace', async () => {
    const sample = await vscode.workspace.fs.readFile(fileOf('trl/qwen2.5-7b-sft.yaml'));
    // VS Code keeps other tests' documents open for a while after their editors are closed.
    const unopened = await writeFile('never-opened.yaml', new TextDecoder().decode(sample));
    await vscode.commands.executeCommand('headroom.checkWorkspace');
    // Answers are badges and a tree: unopened files add no problems.
    const problems = vscode.languages.getDiagnostics(unopened);
    assert.ok(!problems.some(({ source }) => source === 'Headroom'));
    await vscode.commands.executeCommand('headroom.clearResults');
    await vscode.workspace.fs.delete(unopened);
  });
});
