// Written by scripts/registries.mjs: it lists every file of this folder.
import type { LogReader } from '../logs';
import { lightning } from './lightning';
import { llamaFactory } from './llamaFactory';
import { mlflow } from './mlflow';
import { notebook } from './notebook';
import { sacct } from './sacct';
import { swift } from './swift';
import { tensorboard } from './tensorboard';
import { trainerState } from './trainerState';
import { wandb } from './wandb';

export const logReaders: readonly LogReader[] = [
  lightning,
  llamaFactory,
  mlflow,
  notebook,
  sacct,
  swift,
  tensorboard,
  trainerState,
  wandb,
];
