import { EventEmitter, lm, McpStdioServerDefinition, Uri, workspace } from 'vscode';
import type { Disposable } from './disposables';
import { DisposableStore } from './disposables';
import { registerTools } from './languageModelTools';
import type { ServerProgram } from './toolServer';
import { isTrusted, onTrustGranted } from './trust';

/** The program that serves the tools, as `headroom mcp` does. */
export interface ToolProgram {
  readonly argv: readonly [program: string, cli: string];
  readonly environment: Readonly<Record<string, string>>;
  readonly version: string;
}

/**
 * Offers Headroom's tools to the editor's agents, for the folders of the workspace: as tools of language models, and as a
 * server that other agents can use. It starts when an agent uses it. In Restricted Mode there is none, because it
 * starts programs.
 *
 * @param tools names of the manifest's tools
 */
export function offerAgentTools(program: ToolProgram, tools: readonly string[]): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new EventEmitter<void>());
  store.add(onTrustGranted(() => changed.fire()));
  store.add(workspace.onDidChangeWorkspaceFolders(() => changed.fire()));
  store.add(registerTools(tools, () => serverOf(program)));
  store.add(
    lm.registerMcpServerDefinitionProvider('headroom.tools', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => {
        const server = serverOf(program);
        return server ? [definitionOf(server, program.version)] : [];
      },
    }),
  );
  return store;
}

function serverOf({ argv: [node, cli], environment }: ToolProgram): ServerProgram | null {
  if (!isTrusted()) return null;
  const folders = (workspace.workspaceFolders ?? [])
    .map(({ uri }) => uri)
    .filter(uri => uri.scheme === 'file')
    .map(({ fsPath }) => fsPath);
  const [folder] = folders;
  return folder === undefined ? null : { argv: [node, cli, 'mcp', ...folders], folder, environment };
}

function definitionOf({ argv: [node, ...args], folder, environment }: ServerProgram, version: string) {
  const server = new McpStdioServerDefinition('Headroom', node, args, { ...environment }, version);
  server.cwd = Uri.file(folder);
  return server;
}
