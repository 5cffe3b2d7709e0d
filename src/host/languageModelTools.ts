import { l10n, LanguageModelTextPart, LanguageModelToolResult, lm } from 'vscode';
import type { LanguageModelTool } from 'vscode';
import { mdFence } from '../core/text/markdown';
import type { Disposable } from './disposables';
import { DisposableStore } from './disposables';
import { markdownView } from './markdown';
import type { Decide, ServerProgram, ToolAnswer, ToolServer } from './toolServer';

const PREFIX = 'headroom_';
/** An agent calls several tools in a row. A process that nobody asks is not kept. */
const IDLE_MS = 300_000;
/** A confirmation that nobody answers is forgotten with the next ones. */
const MOST_OPEN = 20;
/** These may change something: what they would do is found out first, then confirmed. */
const CHANGING: readonly string[] = ['apply', 'jobs'];

/**
 * Registers the server's tools for the editor's language models, under the names of the manifest. A call is a call of the
 * server's own tool, so there is one implementation. What the server would ask its user is shown in VS Code's
 * confirmation, and only exactly that is agreed to afterwards.
 *
 * @param names of the manifest's tools
 * @param program the server for the workspace as it is now; null: none may start
 */
export function registerTools(names: readonly string[], program: () => ServerProgram | null): Disposable {
  const store = new DisposableStore();
  const servers = store.add(new OneServer(program));
  for (const name of names) {
    store.add(lm.registerTool(name, toolFor(name.slice(PREFIX.length), servers)));
  }
  return store;
}

function toolFor(name: string, servers: OneServer): LanguageModelTool<object> {
  const confirmed = new Map<string, string>();
  const invoke: LanguageModelTool<object>['invoke'] = async ({ input }) => {
    const key = JSON.stringify(input);
    const agreed = confirmed.get(key);
    confirmed.delete(key);
    const { text } = await servers.call(name, input, question => question === agreed);
    return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
  };
  if (!CHANGING.includes(name)) return { invoke };
  return {
    invoke,
    prepareInvocation: async ({ input }) => {
      const asked: string[] = [];
      await servers.call(name, input, question => {
        asked.push(question);
        return false;
      });
      const [question] = asked;
      if (question === undefined) return {};
      if (confirmed.size >= MOST_OPEN) confirmed.clear();
      confirmed.set(JSON.stringify(input), question);
      const title = name === 'apply' ? l10n.t('Change this config?') : l10n.t('Start or stop this job?');
      return { confirmationMessages: { title, message: markdownView(mdFence(question, 'text')) } };
    },
  };
}

/** The server of the last call, while calls follow each other and the workspace stays the same. */
class OneServer implements Disposable {
  private running: { readonly key: string; readonly server: ToolServer } | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly program: () => ServerProgram | null) {}

  async call(name: string, input: object, decide: Decide): Promise<ToolAnswer> {
    const program = this.program();
    if (!program) throw new Error(l10n.t('Headroom has no trusted folder to look at. Open one in VS Code.'));
    const server = await this.serverOf(program);
    clearTimeout(this.idle);
    try {
      return await server.call(name, input, decide);
    } finally {
      clearTimeout(this.idle);
      this.idle = setTimeout(() => this.dispose(), IDLE_MS);
    }
  }

  dispose(): void {
    clearTimeout(this.idle);
    this.running?.server.dispose();
    this.running = null;
  }

  private async serverOf(program: ServerProgram): Promise<ToolServer> {
    // VS Code loads the rest at its start.
    const { ToolServer: Server } = await import('./toolServer');
    const key = JSON.stringify(program);
    if (this.running?.key === key) return this.running.server;
    this.dispose();
    const server: ToolServer = new Server(program, () => {
      if (this.running?.server === server) this.running = null;
    });
    this.running = { key, server };
    return server;
  }
}
