// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { AdapterMethod } from '../adapterMethod';
import { adalora } from './adalora';
import { adamss } from './adamss';
import { adaptionPrompt } from './adaptionPrompt';
import { beft } from './beft';
import { boft } from './boft';
import { c3a } from './c3a';
import { deft } from './deft';
import { delora } from './delora';
import { dora } from './dora';
import { fourierft } from './fourierft';
import { frod } from './frod';
import { glora } from './glora';
import { gralora } from './gralora';
import { hira } from './hira';
import { hra } from './hra';
import { ia3 } from './ia3';
import { lily } from './lily';
import { llamaAdapter, llamaAdapterV2 } from './llamaAdapter';
import { lnTuning } from './lnTuning';
import { loha } from './loha';
import { lokr } from './lokr';
import { loraFa } from './loraFa';
import { lycorisLokr } from './lycorisLokr';
import { miss } from './miss';
import { oft } from './oft';
import { osf } from './osf';
import { peanut } from './peanut';
import { prefixTuning } from './prefixTuning';
import { promptTuning, pTuning } from './promptTuning';
import { psoft } from './psoft';
import { pvera } from './pvera';
import { randlora } from './randlora';
import { road } from './road';
import { shira } from './shira';
import { tinylora } from './tinylora';
import { unilora } from './unilora';
import { vblora } from './vblora';
import { vera } from './vera';
import { waveft } from './waveft';

export const adapterMethods: readonly AdapterMethod[] = [
  adalora,
  adamss,
  adaptionPrompt,
  beft,
  boft,
  c3a,
  deft,
  delora,
  dora,
  fourierft,
  frod,
  glora,
  gralora,
  hira,
  hra,
  ia3,
  lily,
  llamaAdapter,
  llamaAdapterV2,
  lnTuning,
  loha,
  lokr,
  loraFa,
  lycorisLokr,
  miss,
  oft,
  osf,
  peanut,
  prefixTuning,
  promptTuning,
  pTuning,
  psoft,
  pvera,
  randlora,
  road,
  shira,
  tinylora,
  unilora,
  vblora,
  vera,
  waveft,
];
