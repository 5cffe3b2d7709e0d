import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, lensesOf, until } from './ask';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';

const settings = () => vscode.workspace.getConfiguration('headroom');
const target = (): string => settings().get('target.gpu', '');

describe('comparing GPUs', () => {
  const before = target();
  afterEach(() => settings().update('target.gpu', before, false));

  it('offers the smallest GPU that fits first, and makes it the target', async function () {
    // Some hundred GPUs, priced with fixes, in a worker that may have to start.
    this.timeout(60_000);
    const uri = fileOf(CONFIG);
    await vscode.window.showTextDocument(uri);
    const done = vscode.commands.executeCommand('headroom.compareGpus', uri, '');
    await until('target', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return target() !== before;
    });
    await done;
    const lenses = await lensesOf(uri, /· fits ·/);
    assert.ok(lenses[0]?.endsWith(`· fits · ${target()}`), `${target()}: ${lenses.join()}`);
    // With less than 40 GB it does not fit.
    assert.match(lenses[0] ?? '', /of 40 GB/);
  });

  it('refuses a file that is not a config', async () => {
    const answer = await vscode.commands.executeCommand('headroom.compareGpus', fileOf('README.md'));
    assert.equal(answer, undefined);
    assert.equal(target(), before);
  });
});

describe('a copied output of a GPU tool', () => {
  const before = target();
  afterEach(async () => {
    await settings().update('target.gpu', before, false);
    await vscode.env.clipboard.writeText('');
  });

  it('offers its GPUs as targets', async () => {
    const rows = ['NVIDIA GeForce RTX 3090, 24576 MiB, 10 MiB', 'NVIDIA GeForce RTX 3090, 24576 MiB, 12 MiB'];
    await vscode.env.clipboard.writeText(
      ['name, memory.total [MiB], memory.used [MiB]', ...rows].map(row => `> ${row}\n`).join(''),
    );
    const done = vscode.commands.executeCommand('headroom.chooseCopiedGpu');
    await until('target', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return target() !== before;
    });
    await done;
    assert.equal(target(), '2x RTX 3090');
  });

  it('is none in any other text', async () => {
    await vscode.env.clipboard.writeText('lr: 1e-4\n');
    assert.equal(await vscode.commands.executeCommand('headroom.chooseCopiedGpu'), undefined);
    assert.equal(target(), before);
  });
});
