// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Pack } from '../dialect';
import { animateDiff } from './animateDiff';
import { boltz } from './boltz';
import { chronos } from './chronos';
import { climax } from './climax';
import { diffusionPolicy } from './diffusionPolicy';
import { latte } from './latte';
import { lightningHydraTemplate } from './lightningHydraTemplate';
import { matchaTts } from './matchaTts';
import { mattergen } from './mattergen';
import { mdlm } from './mdlm';
import { mooreAnimateAnyone } from './mooreAnimateAnyone';
import { nequip } from './nequip';
import { oneDTokenizer } from './oneDTokenizer';
import { parseq } from './parseq';
import { physicsnemo } from './physicsnemo';
import { rslearn } from './rslearn';
import { safari } from './safari';
import { sam2 } from './sam2';
import { schnetpack } from './schnetpack';
import { showO } from './showO';
import { terratorch } from './terratorch';
import { threestudio } from './threestudio';
import { uni2ts } from './uni2ts';
import { vocos } from './vocos';
import { xFlux } from './xFlux';

export const packs: readonly Pack[] = [
  animateDiff,
  boltz,
  chronos,
  climax,
  diffusionPolicy,
  latte,
  lightningHydraTemplate,
  matchaTts,
  mattergen,
  mdlm,
  mooreAnimateAnyone,
  nequip,
  oneDTokenizer,
  parseq,
  physicsnemo,
  rslearn,
  safari,
  sam2,
  schnetpack,
  showO,
  terratorch,
  threestudio,
  uni2ts,
  vocos,
  xFlux,
];
