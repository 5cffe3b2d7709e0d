import { TaskScope, tasks } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { fileArgument } from '../host/commands';
import { lazily } from '../host/lazily';
import type { Log } from '../host/log';
import { isTrusted, onTrustGranted } from '../host/trust';
import { TASK_TYPE } from './definition';
import type { TaskRoom } from './room';

/** The window has other things to do first; then jobs are looked for that were there before it. */
const LATER_MS = 1500;

/** The task type and the commands about jobs; what is behind them loads when it is needed. */
export class JobFeatures implements Disposable {
  private readonly store = new DisposableStore();
  readonly room: () => Promise<TaskRoom>;

  constructor(open: () => Promise<TaskRoom>, log: Log) {
    this.room = lazily(async () => this.store.add(await open()));
    const begin = (): void => {
      if (!isTrusted()) return;
      const begun = this.room().then(room => room.begin());
      begun.catch((error: unknown) => log.error('Jobs', error));
    };
    const timer = setTimeout(begin, LATER_MS);
    this.store.add({ dispose: () => clearTimeout(timer) });
    this.store.add(onTrustGranted(begin));
    this.store.add(
      tasks.registerTaskProvider(TASK_TYPE, {
        provideTasks: async () => [...(await this.room()).detected()],
        resolveTask: async ({ definition, scope, name }) => {
          const where = scope === undefined || scope === TaskScope.Global ? TaskScope.Workspace : scope;
          return (await this.room()).resolved(definition, where, name);
        },
      }),
    );
  }

  commands() {
    const { room } = this;
    return {
      'headroom.runJob': async (file?: unknown, run?: unknown) =>
        (await room()).commands.run(fileArgument(file), run),
      'headroom.showJobOutput': async (job?: unknown) => (await room()).commands.showOutput(job),
      'headroom.stopJob': async (job?: unknown) => (await room()).commands.stop(job),
      'headroom.resumeJob': async (job?: unknown) => (await room()).commands.resume(job),
      'headroom.fetchJob': async (job?: unknown) => (await room()).commands.fetch(job),
      'headroom.showJobs': async () => (await room()).commands.showJobs(),
      'headroom.openJobConfig': async (job?: unknown) => (await room()).commands.openConfig(job),
    };
  }

  dispose(): void {
    this.store.dispose();
  }
}
