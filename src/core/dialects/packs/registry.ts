// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Pack } from '../dialect';
import { boltz } from './boltz';
import { climax } from './climax';
import { diffusionPolicy } from './diffusionPolicy';
import { lightningHydraTemplate } from './lightningHydraTemplate';
import { matchaTts } from './matchaTts';
import { mattergen } from './mattergen';
import { mdlm } from './mdlm';
import { nequip } from './nequip';
import { parseq } from './parseq';
import { physicsnemo } from './physicsnemo';
import { rslearn } from './rslearn';
import { safari } from './safari';
import { sam2 } from './sam2';
import { schnetpack } from './schnetpack';
import { terratorch } from './terratorch';
import { threestudio } from './threestudio';
import { uni2ts } from './uni2ts';
import { vocos } from './vocos';

export const packs: readonly Pack[] = [
  boltz,
  climax,
  diffusionPolicy,
  lightningHydraTemplate,
  matchaTts,
  mattergen,
  mdlm,
  nequip,
  parseq,
  physicsnemo,
  rslearn,
  safari,
  sam2,
  schnetpack,
  terratorch,
  threestudio,
  uni2ts,
  vocos,
];
