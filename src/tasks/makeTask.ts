import {
  CustomExecution,
  l10n,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  TaskScope,
  Uri,
  workspace,
} from 'vscode';
import type { TaskDefinition, WorkspaceFolder } from 'vscode';
import { basename } from '../core/text/paths';
import type { JobRecord } from '../jobs/job';
import { definitionOf, followingTask, taskOf } from './definition';
import type { HeadroomTask } from './definition';
import { JobTerminal } from './terminal';
import type { FindJob, TerminalHost } from './terminal';

const SOURCE = 'Headroom';
/** Turns stack frames and out-of-memory lines into problems; package.json defines this name. */
const MATCHER = '$headroom-python';

/** Makes tasks whose terminals follow jobs. */
export class TaskMaker {
  constructor(
    private readonly host: TerminalHost,
    /** Starts a job for a definition without one; asks the user for missing values. */
    private readonly start: (task: HeadroomTask, scope: WorkspaceFolder | null) => FindJob,
  ) {}

  /** The task of a definition; null if it is invalid. */
  of(definition: TaskDefinition, scope: WorkspaceFolder | TaskScope, name: string | null): Task | null {
    const task = taskOf(definition);
    if (typeof task === 'string') return null;
    const folder = typeof scope === 'object' ? scope : (workspace.workspaceFolders?.[0] ?? null);
    const find: FindJob =
      task.job === null ? this.start(task, folder) : () => this.existingJob(task.job ?? '');
    const execution = new CustomExecution(() => Promise.resolve(new JobTerminal(find, this.host)));
    const made = new Task(definition, scope, name ?? nameOf(task), SOURCE, execution, MATCHER);
    made.detail = detailOf(task);
    // Each job has its own terminal, so that the next job does not clear it.
    made.presentationOptions = {
      panel: TaskPanelKind.Dedicated,
      reveal: TaskRevealKind.Always,
      showReuseMessage: false,
      focus: false,
    };
    return made;
  }

  /** The task that shows an existing job. */
  showing(record: JobRecord, reveal: TaskRevealKind): Task | null {
    const made = this.of(
      { ...definitionOf(followingTask(record)) },
      scopeOf(record),
      `${record.name} (${record.id.slice(-6)})`,
    );
    if (made) made.presentationOptions = { ...made.presentationOptions, reveal };
    return made;
  }

  private async existingJob(id: string): Promise<JobRecord | null> {
    const jobs = await this.host.board.begin();
    const record = (await jobs?.get(id)) ?? null;
    if (record === null) throw new Error(l10n.t("Job {0} doesn't exist.", id));
    return record;
  }
}

/** `train lora.yml`. */
function nameOf({ kind, config, run }: HeadroomTask): string {
  const stem = config === null ? l10n.t('the active config') : basename(config);
  return `${kind} ${run === null || run === '' ? stem : `${stem} · ${run}`}`;
}

function detailOf({ place, gpus, config }: HeadroomTask): string {
  const many = gpus === null ? [] : [gpus === 1 ? '1 GPU' : `${gpus} GPUs`];
  return [...(config === null ? [] : [config]), ...(place === 'here' ? [] : [place]), ...many].join(' · ');
}

function scopeOf({ folder }: JobRecord): WorkspaceFolder | TaskScope.Workspace {
  return workspace.getWorkspaceFolder(Uri.file(folder)) ?? TaskScope.Workspace;
}
