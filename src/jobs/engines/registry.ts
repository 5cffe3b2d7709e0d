// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { EngineMaker } from '../engineMaker';
import { local } from './local';
import { ray } from './ray';
import { slurm } from './slurm';
import { ssh } from './ssh';

export const engineMakers: readonly EngineMaker[] = [local, ray, slurm, ssh];
