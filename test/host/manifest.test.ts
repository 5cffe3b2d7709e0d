import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: Section | readonly Section[];
  };
}

interface Section {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
}

/** Checks the manifest's promises in a VS Code that has read it. */
describe('the manifest, in VS Code', () => {
  const extension = vscode.extensions.getExtension('gpu-headroom.gpu-headroom');
  assert.ok(extension, 'VS Code does not list the extension');
  const { contributes } = extension.packageJSON as Manifest;

  it('activates', async () => {
    await extension.activate();
    assert.ok(extension.isActive);
  });

  it('has every command registered', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = contributes.commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it('has every setting with its default', () => {
    const settings = [contributes.configuration]
      .flat()
      .flatMap(section => Object.entries(section.properties));
    const configuration = vscode.workspace.getConfiguration();
    for (const [key, { default: value }] of settings) {
      assert.deepEqual(configuration.inspect(key)?.defaultValue, value, key);
    }
  });
});
