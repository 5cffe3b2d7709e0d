import { TaskScope, tasks } from 'vscode';
import type { ExtensionContext } from 'vscode';
import type { RunFailure } from '../core/rules/analysis';
import type { Measurement } from '../core/learn/measurement';
import { Disposing } from '../host/disposables';
import { fileArgument } from '../host/commands';
import { Refusal } from '../host/errors';
import { lazily } from '../host/lazily';
import type { Log } from '../host/log';
import { textIn, valueAt } from '../core/text/json';
import { setting } from '../host/settings';
import { isTrusted, onTrustGranted } from '../host/trust';
import type { EngineRoom } from '../jobs/engineMaker';
import { measurementsInState, stateFolder, whyNoState } from '../jobs/stateFolder';
import { TASK_TYPE } from './definition';
import type { Machines, RunnableConfigs, TaskServices } from './ports';
import type { TaskRoom } from './room';

/** The dependencies of jobs on other rooms. */
interface TaskDeps {
  readonly configs: RunnableConfigs;
  readonly machines: Machines & JobTools;
  readonly failures: FailureBook;
  readonly keepMeasurement: (measurement: Measurement, file: string | null) => Promise<void>;
  readonly learned: () => void;
  readonly log: Log;
}

/** The tools that start and watch jobs, from the user's settings. */
interface JobTools {
  executables(): EngineRoom['executables'];
  ssh(): EngineRoom['ssh'];
}

/** Where the editor records how the last jobs of configs failed. */
interface FailureBook {
  put(failure: RunFailure & { readonly file: string; readonly digest: string }): void;
  drop(file: string, run: string | null): void;
}

/** Jobs of this window; their code loads late. */
export function openTasks(context: ExtensionContext, deps: TaskDeps) {
  const { configs, machines, failures, learned, log } = deps;
  const keepMeasurement = async (measurement: Measurement, file: string | null) => {
    await deps.keepMeasurement(measurement, file ?? measurementsInState(stateFolder()));
    learned();
  };
  const jobs: TaskServices['jobs'] = async () => {
    if (!isTrusted()) return null;
    const noState = whyNoState();
    if (noState !== null) throw new Refusal(noState);
    const { openJobs } = await import('../jobs/openJobs');
    return openJobs({
      state: stateFolder(),
      keeper: context.asAbsolutePath('dist/keeper.js'),
      executables: machines.executables(),
      ssh: machines.ssh(),
      rayAddresses: () => setting('hosts').flatMap(one => textIn(valueAt(one, 'ray')) ?? []),
      keepMeasurement,
    });
  };
  const sink: TaskServices['failures'] = {
    outOfMemory: ({ file, run, digest }, report) => failures.put({ file, run, digest, report }),
    cleared: ({ file, run }) => failures.drop(file, run),
  };
  const features = new JobFeatures(async () => {
    const { openTaskRoom } = await import('./chunk');
    const services = { jobs, configs, machines, failures: sink, learned, log };
    return openTaskRoom({ services, state: context.workspaceState });
  }, log);
  return {
    disposables: features,
    commands: features.commands(),
    /** Null in Restricted Mode. */
    forPanel: async () => (isTrusted() ? (await features.room()).forPanel : null),
  };
}

/** Delay after the window opens before earlier jobs are looked for. */
const LATER_MS = 1500;

/** The task type and the commands about jobs; their code loads on first use. */
class JobFeatures extends Disposing {
  readonly room: () => Promise<TaskRoom>;

  constructor(open: () => Promise<TaskRoom>, log: Log) {
    super();
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
}
