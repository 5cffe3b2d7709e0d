import { setTimeout as pause } from 'node:timers/promises';
import { TaskRevealKind, tasks, window } from 'vscode';
import type { Memento, TaskExecution, Terminal } from 'vscode';
import type { JobRecord } from '../jobs/job';
import type { TaskMaker } from './makeTask';

const LOOK_MS = 100;
/** How long to wait for a terminal while its task runs: a busy machine takes seconds to open one. */
const MOST_LOOKS = 300;

/** The terminals that follow jobs: one per job, however often and quickly it is requested. */
export class JobTerminals {
  /** Jobs whose task was requested and is not running yet; a second one would make VS Code ask which to end. */
  private readonly starting = new Set<string>();

  constructor(private readonly maker: TaskMaker) {}

  /** Shows a job; an existing terminal comes to the front, unless `reveal` is Never. */
  async show(record: JobRecord, reveal: TaskRevealKind): Promise<void> {
    const isBegun = this.starting.has(record.id) || executionOf(record) !== undefined;
    const terminal = isBegun ? await this.coming(record) : terminalOf(record);
    if (reveal !== TaskRevealKind.Never) terminal?.show(true);
    if (terminal || isBegun) return;
    const task = this.maker.showing(record, reveal);
    if (!task) return;
    this.starting.add(record.id);
    try {
      await tasks.executeTask(task);
    } finally {
      this.starting.delete(record.id);
    }
    await this.coming(record);
  }

  /** The job's terminal, which may still be opening while its task runs. */
  private async coming(record: JobRecord): Promise<Terminal | undefined> {
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const terminal = terminalOf(record);
      if (terminal || !(this.starting.has(record.id) || executionOf(record))) return terminal;
      await pause(LOOK_MS);
    }
    return terminalOf(record);
  }
}

/** The task that follows the job. */
const executionOf = ({ id }: JobRecord): TaskExecution | undefined =>
  tasks.taskExecutions.find(({ task }) => task.definition['job'] === id);

/** Found by its task, or by the end of the job's id in its name. */
function terminalOf(record: JobRecord): Terminal | undefined {
  const shown = executionOf(record);
  const names = [`(${record.id.slice(-6)})`, ...(shown ? [shown.task.name] : [])];
  return window.terminals.find(({ name }) => names.some(part => name.includes(part)));
}

const KEY = 'headroom.jobs.followed';
const MOST = 50;

/** Ids of the jobs that this window follows; they survive a reload of the window. */
export class Followed {
  constructor(private readonly state: Memento) {}

  all(): readonly string[] {
    const kept: unknown = this.state.get(KEY);
    return Array.isArray(kept) ? kept.filter(id => typeof id === 'string') : [];
  }

  add(id: string): void {
    if (!this.all().includes(id)) void this.state.update(KEY, [...this.all(), id].slice(-MOST));
  }

  remove(id: string): void {
    if (this.all().includes(id)) {
      void this.state.update(
        KEY,
        this.all().filter(one => one !== id),
      );
    }
  }
}
