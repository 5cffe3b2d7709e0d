// Written by scripts/registries.mjs: it lists every file of this folder.
import type { AdapterMethod } from '../adapterMethod';
import { adamss } from './adamss';
import { adaptionPrompt } from './adaptionPrompt';
import { miss, gralora } from './blocks';
import { deft } from './deft';
import { frod } from './frod';
import { vera, pvera, tinylora } from './frozenBases';
import { glora } from './glora';
import { lily } from './lily';
import { llamaAdapter, llamaAdapterV2 } from './llamaAdapter';
import { loha } from './loha';
import { lokr } from './lokr';
import { adalora, delora, dora, loraFa } from './loraVariants';
import { lycorisLokr } from './lycorisLokr';
import { osf } from './osf';
import { promptTuning, pTuning, prefixTuning } from './prompts';
import { psoft } from './psoft';
import { randlora } from './randlora';
import { road, boft, oft, hra } from './rotations';
import { ia3, lnTuning, beft } from './scales';
import { fourierft, waveft, c3a } from './spectral';
import { unilora } from './unilora';
import { vblora } from './vblora';
import { hira, peanut, shira } from './weightDeltas';

export const adapterMethods: readonly AdapterMethod[] = [
  adamss,
  adaptionPrompt,
  miss,
  gralora,
  deft,
  frod,
  vera,
  pvera,
  tinylora,
  glora,
  lily,
  llamaAdapter,
  llamaAdapterV2,
  loha,
  lokr,
  adalora,
  delora,
  dora,
  loraFa,
  lycorisLokr,
  osf,
  promptTuning,
  pTuning,
  prefixTuning,
  psoft,
  randlora,
  road,
  boft,
  oft,
  hra,
  ia3,
  lnTuning,
  beft,
  fourierft,
  waveft,
  c3a,
  unilora,
  vblora,
  hira,
  peanut,
  shira,
];
