// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Facts } from '../fact';
import { torchtuneFacts } from './torchtune';

export const facts: readonly Facts[] = [torchtuneFacts];
