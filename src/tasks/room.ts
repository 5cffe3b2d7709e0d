import { l10n, TaskRevealKind, workspace, TerminalExitReason, window } from 'vscode';
import type { Memento, Task, TaskDefinition, TaskScope, WorkspaceFolder } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { isRefusal } from '../host/errors';
import { setContextKey, showRefusal } from '../host/commands';
import { inform } from '../host/messages';
import type { JobRecord } from '../jobs/job';
import { JobBoard } from './board';
import { FailureWatch } from './failureWatch';
import { Followed, JobTerminals } from './jobTerminals';
import { isOver } from './jobText';
import { TaskMaker } from './makeTask';
import { JobNotifications, showEnd } from './notifications';
import { BoardForPanel } from './panelJobs';
import type { TaskServices, RunnableConfigs, RunOfConfig } from './ports';
import { RememberedLimits } from './rememberedLimits';
import { JobCommands } from './runJob';
import { registerJobStatus } from './statusBar';
import { isTrusted } from '../host/trust';
import { definitionOf } from './definition';
import type { HeadroomTask } from './definition';

/** Who closed a terminal: its user, ending its task, or the window. */
type Closer = 'user' | 'task' | 'window';

/** VS Code fires the event right after the close, or never if the window closes. */
const PATIENCE_MS = 2000;

const CLOSERS: ReadonlyMap<TerminalExitReason, Closer> = new Map([
  [TerminalExitReason.User, 'user'],
  [TerminalExitReason.Extension, 'task'],
  // Ending a task disposes of its terminal without a reason.
  [TerminalExitReason.Unknown, 'task'],
]);

/** Why a job's terminal was just closed. Its name contains the end of the job's id. */
function whyClosed({ id }: JobRecord): Promise<Closer> {
  return new Promise(resolve => {
    const timer = setTimeout(() => end('window'), PATIENCE_MS);
    const listener = window.onDidCloseTerminal(({ name, exitStatus }) => {
      if (name.includes(id.slice(-6))) {
        end((exitStatus && CLOSERS.get(exitStatus.reason)) ?? 'window');
      }
    });
    function end(closer: Closer): void {
      clearTimeout(timer);
      listener.dispose();
      resolve(closer);
    }
  });
}

/** Tasks of open configs as last read; none in Restricted Mode. */
function detectedTasks(configs: RunnableConfigs, maker: TaskMaker): readonly Task[] {
  return isTrusted() ? configs.open().flatMap(run => detected(run, maker)) : [];
}

function detected({ uri, analysis }: RunOfConfig, maker: TaskMaker): Task[] {
  const folder = workspace.getWorkspaceFolder(uri);
  if (!folder) return [];
  const { name } = analysis.run;
  const task: HeadroomTask = {
    kind: kindOf(analysis.run.quantities.task.value),
    config: workspace.asRelativePath(uri, false),
    run: name === '' ? null : name,
    place: 'here',
    gpus: null,
    args: [],
    limits: null,
    job: null,
  };
  const made = maker.of({ ...definitionOf(task) }, folder, null);
  return made ? [made] : [];
}

const kindOf = (task: string | null): HeadroomTask['kind'] => (task?.startsWith('embed') ? 'embed' : 'train');

export interface RoomOptions {
  readonly services: TaskServices;
  /** The workspace's. */
  readonly state: Memento;
}

/** Everything about jobs in this window. */
export class TaskRoom implements Disposable {
  readonly board: JobBoard;
  readonly commands: JobCommands;
  readonly forPanel: BoardForPanel;
  private readonly store = new DisposableStore();
  private readonly followed: Followed;
  private readonly notifications: JobNotifications;
  private readonly maker: TaskMaker;
  private readonly terminals: JobTerminals;
  private readonly closing = new AbortController();

  constructor(private readonly options: RoomOptions) {
    const { services, state } = options;
    this.board = this.store.add(new JobBoard(services.jobs, services.log));
    this.forPanel = new BoardForPanel(this.board);
    this.followed = new Followed(state);
    this.notifications = this.store.add(new JobNotifications(this.board));
    const host = { board: this.board, closed: (record: JobRecord) => void this.closed(record) };
    this.maker = new TaskMaker(host, (task, folder) => async signal => {
      const record = await withErrorShown(this.commands.starter(task, folder)(signal));
      if (record) this.follow(record.id);
      return record;
    });
    this.terminals = new JobTerminals(this.maker);
    this.commands = new JobCommands({
      ...services,
      board: this.board,
      terminals: this.terminals,
      limits: new RememberedLimits(state),
      closing: this.closing.signal,
      shown: id => this.follow(id),
    });
    this.store.add(registerJobStatus(this.board));
    this.store.add(
      this.board.onDidChange(() => {
        setContextKey('headroom.hasJobs', this.board.all().length > 0);
        setContextKey('headroom.hasJobsUnderWay', this.board.underWay().length > 0);
      }),
    );
    this.store.add(
      this.board.onDidEnd(({ record, isNews }) => {
        this.followed.remove(record.id);
        if (isNews && record.measured && record.peaks.length > 0) services.learned();
      }),
    );
  }

  /** Reads the jobs, and shows those again that this window showed before its reload. */
  async begin(): Promise<void> {
    const { services } = this.options;
    const before = this.followed.all();
    const jobs = await this.board.begin();
    if (jobs === null) return;
    this.store.add(new FailureWatch(this.board, services.failures, services.log));
    for (const id of before) {
      const record = await jobs.get(id);
      if (record === null) this.followed.remove(id);
      else if (isOver(record)) void showEnd(record);
      else await this.terminals.show(record, TaskRevealKind.Never);
    }
  }

  detected(): readonly Task[] {
    return detectedTasks(this.options.services.configs, this.maker);
  }

  resolved(definition: TaskDefinition, scope: WorkspaceFolder | TaskScope, name: string): Task | undefined {
    return this.maker.of(definition, scope, name) ?? undefined;
  }

  dispose(): void {
    this.closing.abort();
    this.store.dispose();
  }

  private follow(id: string): void {
    this.followed.add(id);
    this.notifications.follow(id);
  }

  /** Closing a terminal only hides the job; ending its task stops the job. */
  private async closed(record: JobRecord): Promise<void> {
    const why = await whyClosed(record);
    if (why === 'window') return;
    if (why === 'task') {
      await this.commands.stop(record.id);
      return;
    }
    const output = l10n.t('Show Output');
    const stop = l10n.t('Stop');
    const text = l10n.t('{0} keeps running. Only its terminal was closed.', record.name);
    const chosen = await inform(text, output, stop);
    if (chosen === output) await this.commands.showOutput(record.id);
    if (chosen === stop) await this.commands.stop(record.id);
  }
}

/** A refusal at a task's start is shown as for a command, and also in its terminal. */
async function withErrorShown<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (isRefusal(error)) void showRefusal(error);
    throw error;
  }
}
