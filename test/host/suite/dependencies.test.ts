import * as vscode from 'vscode';
import { fileOf, lensesOf, until } from './ask';
import { MemoryFiles } from './memoryFiles';

const SCHEME = 'late';
const CONFIG = '/runs/sft.yaml';
const DEEPSPEED = '/runs/ds.json';

const textOf = (zero: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ zero_optimization: zero }, null, 2)}\n`;

const files = new MemoryFiles();
const uriOf = (path: string): vscode.Uri => vscode.Uri.from({ scheme: SCHEME, authority: 'box', path });

const isOpen = (path: string): boolean =>
  vscode.workspace.textDocuments.some(({ isClosed, uri }) => !isClosed && uri.path === path);

/** The first amount of the config's lens. */
async function amount(): Promise<string> {
  const lenses = await lensesOf(uriOf(CONFIG), /\d GB/);
  return /[\d.]+ GB/.exec(lenses.join(' '))?.[0] ?? '';
}

describe('a file that a config depends on', function () {
  this.timeout(120_000);
  let registration: vscode.Disposable;

  before(async () => {
    const bytes = await vscode.workspace.fs.readFile(fileOf('trl/qwen2.5-7b-sft.yaml'));
    files.put(CONFIG, `${new TextDecoder().decode(bytes)}deepspeed: ds.json\n`);
    files.put(DEEPSPEED, textOf({ stage: 2 }));
    registration = vscode.workspace.registerFileSystemProvider(SCHEME, files, { isCaseSensitive: true });
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    registration.dispose();
  });

  it('is read again once it is closed with a text that the disk no longer has', async () => {
    await vscode.commands.executeCommand('vscode.open', uriOf(DEEPSPEED), vscode.ViewColumn.Two);
    await until('its document', () => Promise.resolve(isOpen(DEEPSPEED)));
    await vscode.commands.executeCommand('vscode.open', uriOf(CONFIG), vscode.ViewColumn.One);
    const before = await amount();
    // VS Code is not told, as it is not between a write and its own look at the disk.
    files.put(DEEPSPEED, textOf({ stage: 2, offload_optimizer: { device: 'cpu' } }));
    await vscode.commands.executeCommand('workbench.action.closeEditorsInOtherGroups');
    await until('its end', () => Promise.resolve(!isOpen(DEEPSPEED)));
    await until('the answer for its new text', async seen => {
      const now = await amount();
      seen([before, now]);
      return now !== before;
    });
  });
});
