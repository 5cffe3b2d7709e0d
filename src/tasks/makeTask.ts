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
/** Frames and out-of-memory lines become problems; the same name in package.json. */
const MATCHER = '$headroom-python';

/** Makes tasks whose terminals follow jobs. */
export class TaskMaker {
  constructor(
    private readonly host: TerminalHost,
    /** Starts a job for a definition that names none; asks the user what it has to. */
    private readonly start: (task: HeadroomTask, scope: WorkspaceFolder | null) => FindJob,
  ) {}

  /** The task of a definition; null where no one could make sense of it. */
  of(definition: TaskDefinition, scope: WorkspaceFolder | TaskScope, name: string | null): Task | null {
    const task = taskOf(definition);
    if (typeof task === 'string') return null;
    const folder = typeof scope === 'object' ? scope : (workspace.workspaceFolders?.[0] ?? null);
    const find: FindJob = task.job === null ? this.start(task, folder) : () => this.there(task.job ?? '');
    const execution = new CustomExecution(() => Promise.resolve(new JobTerminal(find, this.host)));
    const made = new Task(definition, scope, name ?? nameOf(task), SOURCE, execution, MATCHER);
    made.detail = detailOf(task);
    // A job's terminal is its own: the next one must not wipe it.
    made.presentationOptions = {
      panel: TaskPanelKind.Dedicated,
      reveal: TaskRevealKind.Always,
      showReuseMessage: false,
      focus: false,
    };
    return made;
  }

  /** The task that shows a job that is there. */
  showing(record: JobRecord, reveal: TaskRevealKind): Task | null {
    const made = this.of(
      { ...definitionOf(followingTask(record)) },
      scopeOf(record),
      `${record.name} (${record.id.slice(-6)})`,
    );
    if (made) made.presentationOptions = { ...made.presentationOptions, reveal };
    return made;
  }

  private async there(id: string): Promise<JobRecord | null> {
    const jobs = await this.host.board.begin();
    const record = (await jobs?.get(id)) ?? null;
    if (record === null) throw new Error(l10n.t("Job {0} doesn't exist.", id));
    return record;
  }
}

/** `train lora.yml`. */
export function nameOf({ kind, config, run }: HeadroomTask): string {
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
