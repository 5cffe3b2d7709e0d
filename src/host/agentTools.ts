import { EventEmitter, lm, McpStdioServerDefinition, Uri, workspace } from 'vscode';
import type { Disposable } from './disposables';
import { DisposableStore } from './disposables';
import { isTrusted, onTrustGranted } from './trust';

/** The program that serves the tools, as `headroom mcp` does. */
export interface ToolProgram {
  readonly argv: readonly [program: string, cli: string];
  readonly environment: Readonly<Record<string, string>>;
  readonly version: string;
}

/**
 * Offers Headroom's tools to the editor's agents, for the folders of the workspace. VS Code starts the server when an
 * agent uses it. In Restricted Mode there is none, because it starts programs.
 */
export function offerAgentTools(program: ToolProgram): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new EventEmitter<void>());
  store.add(onTrustGranted(() => changed.fire()));
  store.add(workspace.onDidChangeWorkspaceFolders(() => changed.fire()));
  store.add(
    lm.registerMcpServerDefinitionProvider('headroom.tools', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => (isTrusted() ? serversOf(program) : []),
    }),
  );
  return store;
}

function serversOf({ argv: [node, cli], environment, version }: ToolProgram): McpStdioServerDefinition[] {
  const folders = (workspace.workspaceFolders ?? [])
    .map(({ uri }) => uri)
    .filter(uri => uri.scheme === 'file');
  const [first] = folders;
  if (!first) return [];
  const args = [cli, 'mcp', ...folders.map(({ fsPath }) => fsPath)];
  const server = new McpStdioServerDefinition('Headroom', node, args, { ...environment }, version);
  server.cwd = Uri.file(first.fsPath);
  return [server];
}
