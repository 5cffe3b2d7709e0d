// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Facts } from '../fact';
import { hydraFacts } from './hydra';
import { lightningFacts } from './lightning';
import { lightningCliFacts } from './lightningCli';
import { llamafactoryFacts } from './llamafactory';
import { llamafactoryV1Facts } from './llamafactoryV1';
import { msSwiftFacts } from './msSwift';
import { openInstructFacts } from './openInstruct';
import { torchtuneFacts } from './torchtune';

export const facts: readonly Facts[] = [
  hydraFacts,
  lightningFacts,
  lightningCliFacts,
  llamafactoryFacts,
  llamafactoryV1Facts,
  msSwiftFacts,
  openInstructFacts,
  torchtuneFacts,
];
