import { randomBytes } from 'node:crypto';
import { commands, env, l10n, Uri } from 'vscode';
import type { Webview } from 'vscode';
import type { Advice } from '../core/advice/advice';
import type { CommandId } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { nodeTimers } from '../gpu/timers';
import { cardsAsText } from './page/asText';
import { pageHtml } from './page/html';
import type { JobsToPage } from './page/jobs';
import { JobsFeed } from './page/jobsFeed';
import type { PageCommand, ToPage } from './page/protocol';
import { PanelSession } from './page/session';
import type { PageActions } from './page/session';
import { viewStateOf } from './page/viewState';
import type { ViewState } from './page/viewState';
import type { PageServices } from './pageServices';
import { say } from '../host/say';

const VIEW_STATE = 'headroom.panel.view';

/** The commands of the page's buttons: Headroom's own, and VS Code's for trust. */
const COMMANDS: Readonly<Record<PageCommand, CommandId | 'workbench.trust.manage'>> = {
  trust: 'workbench.trust.manage',
  chooseTarget: 'headroom.chooseTarget',
  addHost: 'headroom.addHost',
  openExample: 'headroom.openExample',
  showLog: 'headroom.showLog',
};

/** A webview with the panel's page; served only while it is visible. */
export class ServedPage implements Disposable {
  private readonly store = new DisposableStore();
  private session: PanelSession | null = null;
  private jobs: JobsFeed | null = null;
  /** Counts sessions, to ignore results of an earlier one. */
  private turn = 0;
  private isSeen = false;

  constructor(
    private readonly webview: Webview,
    private readonly services: PageServices,
  ) {
    const { extensionUri, gpus, prediction } = services;
    const folder = Uri.joinPath(extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    this.store.add(webview.onDidReceiveMessage((message: unknown) => this.received(message)));
    this.store.add(gpus.onDidChange(() => this.again()));
    this.store.add(prediction.onDidChange(now => this.session?.predicted(now)));
    webview.html = pageHtml({
      script: webview.asWebviewUri(Uri.joinPath(folder, 'panel.js')).toString(),
      style: webview.asWebviewUri(Uri.joinPath(folder, 'panel-style.css')).toString(),
      source: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      language: env.language,
      texts: l10n.bundle ?? {},
    });
  }

  /** Starts or ends a session. */
  seen(isSeen: boolean): void {
    if (isSeen === this.isSeen) return;
    this.isSeen = isSeen;
    this.end();
  }

  /** Retries hosts that do not answer. */
  retry(): void {
    this.session?.retry();
  }

  dispose(): void {
    this.isSeen = false;
    this.end();
    this.store.dispose();
  }

  private end(): void {
    this.turn += 1;
    this.session?.dispose();
    this.session = null;
    this.jobs?.dispose();
    this.jobs = null;
  }

  /** The fleet was replaced. */
  private again(): void {
    this.end();
    if (this.isSeen) void this.begin({ type: 'ready' });
  }

  /** The page's first message, sent when its scripts run, starts a session. */
  private received(message: unknown): void {
    this.jobs?.receive(message);
    if (this.session) this.session.receive(message);
    else void this.begin(message);
  }

  private async begin(message: unknown): Promise<void> {
    const turn = ++this.turn;
    const { gpus, prediction, log } = this.services;
    try {
      const fleet = await gpus.fleet();
      if (turn !== this.turn || !this.isSeen) return;
      const post = (to: ToPage): void => void this.webview.postMessage(to);
      const view = (): ViewState => viewStateOf(this.services.state.get(VIEW_STATE));
      this.session = new PanelSession({
        say,
        timers: nodeTimers,
        fleet,
        post,
        view,
        prediction: () => prediction.current(),
        actions: this.actions(),
      });
      this.session.receive(message);
      await this.beginJobs(turn);
    } catch (error) {
      log.error('The GPU panel', error);
    }
  }

  /** Jobs load after GPUs, so the page does not wait for them. In Restricted Mode there are none. */
  private async beginJobs(turn: number): Promise<void> {
    const jobs = await this.services.jobs();
    if (jobs === null || turn !== this.turn || !this.isSeen) return;
    const post = (to: JobsToPage): void => void this.webview.postMessage(to);
    this.jobs = new JobsFeed({ timers: nodeTimers, jobs, post });
    this.jobs.receive({ type: 'ready' });
  }

  private actions(): PageActions {
    const { state } = this.services;
    return {
      keepView: view => void state.update(VIEW_STATE, view),
      fix: advice => this.fix(advice),
      copy: hosts => void env.clipboard.writeText(cardsAsText(hosts, say)),
      terminal: host => void commands.executeCommand('headroom.openHostTerminal', host),
      command: command => void commands.executeCommand(COMMANDS[command]),
    };
  }

  /** For the active config, else for one that the command asks for. */
  private fix({ fix }: Advice): void {
    const file = this.services.prediction.current()?.file;
    const id: CommandId = fix === 'optimize' ? 'headroom.optimize' : 'headroom.explain';
    void commands.executeCommand(id, ...(file === undefined ? [] : [file]));
  }
}
