// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Facts } from '../fact';
import { hydraFacts } from './hydra';
import { lightningFacts } from './lightning';
import { lightningCliFacts } from './lightningCli';
import { torchtuneFacts } from './torchtune';

export const facts: readonly Facts[] = [hydraFacts, lightningFacts, lightningCliFacts, torchtuneFacts];
