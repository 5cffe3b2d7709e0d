// Written by scripts/registries.mjs: it lists every file of this folder.
import type { EngineMaker } from '../engineMaker';
import { kubernetes } from './kubernetes';
import { local } from './local';
import { ray } from './ray';
import { slurm } from './slurm';
import { ssh } from './ssh';

export const engineMakers: readonly EngineMaker[] = [kubernetes, local, ray, slurm, ssh];
