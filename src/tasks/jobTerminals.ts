import { setTimeout as pause } from 'node:timers/promises';
import { tasks, TaskRevealKind, window } from 'vscode';
import type { Terminal } from 'vscode';
import type { JobRecord } from '../jobs/job';
import type { TaskMaker } from './makeTask';

const LOOK_MS = 100;
const MOST_LOOKS = 30;

/** The terminals that follow jobs: one a job, whoever asks for it, and however soon after one another. */
export class JobTerminals {
  /** Jobs whose task is begun; VS Code would ask which of two like it to end. */
  private readonly begun = new Set<string>();

  constructor(private readonly maker: TaskMaker) {}

  /** Shows a job; a terminal that follows it already comes to the front, unless it shall stay where it is. */
  async show(record: JobRecord, reveal: TaskRevealKind): Promise<void> {
    const isBegun = this.begun.has(record.id);
    const terminal = isBegun ? await this.coming(record) : terminalOf(record);
    if (reveal !== TaskRevealKind.Never) terminal?.show(true);
    if (terminal || isBegun) return;
    const task = this.maker.showing(record, reveal);
    if (!task) return;
    this.begun.add(record.id);
    try {
      await tasks.executeTask(task);
      await this.coming(record);
    } finally {
      this.begun.delete(record.id);
    }
  }

  /** Its terminal, which may still be on its way. */
  private async coming(record: JobRecord): Promise<Terminal | undefined> {
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const terminal = terminalOf(record);
      if (terminal) return terminal;
      await pause(LOOK_MS);
    }
    return terminalOf(record);
  }
}

/** By the task that follows it, or by the end of its id in the name. */
function terminalOf({ id }: JobRecord): Terminal | undefined {
  const shown = tasks.taskExecutions.find(({ task }) => task.definition['job'] === id);
  const names = [`(${id.slice(-6)})`, ...(shown ? [shown.task.name] : [])];
  return window.terminals.find(({ name }) => names.some(part => name.includes(part)));
}
