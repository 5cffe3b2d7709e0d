/** Keys that name classes of a project's own code, which identify the task and the project. */
export const CLASSES = [
  'model._target_',
  'task._target_',
  'data._target_',
  'datamodule._target_',
  'data_module._target_',
  '_target_',
] as const;
