import { workspace } from 'vscode';
import type { Task } from 'vscode';
import { isTrusted } from '../host/trust';
import { definitionOf } from './definition';
import type { HeadroomTask } from './definition';
import type { TaskMaker } from './makeTask';
import type { RunnableConfigs, RunOfConfig } from './ports';

/** Tasks of open configs as last read; none in Restricted Mode. */
export function detectedTasks(configs: RunnableConfigs, maker: TaskMaker): readonly Task[] {
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
