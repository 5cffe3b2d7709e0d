/**
 * Where projects that use Hydra keep what they have in common; the first key that is there wins. Keys of a single
 * project are in its pack (`packs`).
 */

/** Global batches by their names. */
export const GLOBAL_BATCH = [
  'train.global_batch_size',
  'training.global_batch_size',
  'data.global_batch_size',
  'training.total_batch_size',
  'train.total_batch_size',
  'global_batch_size',
  'total_batch_size',
] as const;

/** Batches that say by their names that they are one GPU's. */
const PER_DEVICE_BATCH = [
  'training.batch_size_per_device',
  'training.batch_size_per_gpu',
  'train.batch_size_per_gpu',
  'train.batch_size_per_device',
  'data.batch_size_per_gpu',
  'batch_size_per_gpu',
  'per_device_train_batch_size',
] as const;

/** Batches without a word on whose: of a DataLoader, and Lightning never divides those. */
const PLAIN_BATCH = [
  'dataloader.batch_size',
  'loader.batch_size',
  'data.train_dataloader.batch_size',
  'train_dataloader.batch_size',
  'data.batch_size',
  'data.batch_size_train',
  'datamodule.batch_size',
  'datamodule.loaders.train.batch_size',
  'datamodule.train_dataloader.batch_size',
  'data_loader.batch_size',
  'data_module.batch_size',
  'dataset.batch_size',
  'training.batch_size',
  'train.batch_size',
  'model.batch_size',
  'optimizer.batch_size',
  'trainer.batch_size',
  'training.train_batch_size',
  'batch_size_train',
  'train_batch_size',
  'batch_size',
] as const;

export const BATCH = [...PER_DEVICE_BATCH, ...PLAIN_BATCH] as const;

export const WORKERS = [
  'dataloader.num_workers',
  'loader.num_workers',
  'data.train_dataloader.num_workers',
  'train_dataloader.num_workers',
  'data.num_workers',
  'datamodule.num_workers',
  'datamodule.loaders.train.num_workers',
  'data_loader.num_workers',
  'data_module.num_workers',
  'train.dataloader.num_workers',
  'train.num_workers',
  'training.num_workers',
  'dataset.num_workers',
  'num_workers_train',
  'num_workers',
] as const;

export const LENGTHS = [
  'data.max_tokens',
  'data.max_length',
  'data.max_seq_length',
  'dataset.max_length',
  'model.max_seq_len',
  'max_length',
] as const;

export const MODELS = [
  'model.pretrained_model_name_or_path',
  'model.model_name_or_path',
  'model_name_or_path',
  'model._target_',
  'model.model_name',
  'model.name',
] as const;

export const OPTIMIZERS = ['model.optimizer._target_', 'optimizer._target_', 'optimizer.name'] as const;

export const CHECKPOINTING = [
  'model.gradient_checkpointing',
  'model.use_gradient_checkpointing',
  'model.activation_checkpointing',
  'training.gradient_checkpointing',
  'training.activation_checkpointing',
] as const;

/** Sections in which the arguments of a Lightning Trainer stand. */
export const TRAINERS = [
  'trainer',
  'training.trainer',
  'train.trainer',
  'pl_trainer',
  'trainer.trainer',
] as const;

/** Keys that name classes of a project's own code: they tell the task, and the project. */
export const CLASSES = [
  'model._target_',
  'task._target_',
  'data._target_',
  'datamodule._target_',
  'data_module._target_',
  '_target_',
] as const;

/** Groups of which a run is made; callbacks and loggers are not among them. */
export const GROUPS = [
  'data',
  'datamodule',
  'data_module',
  'dataset',
  'model',
  'trainer',
  'training',
  'task',
  'experiment',
] as const;
