// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { AdapterMethod } from '../adapterMethod';
import { adalora } from './adalora';
import { boft } from './boft';
import { c3a } from './c3a';
import { delora } from './delora';
import { dora } from './dora';
import { fourierft } from './fourierft';
import { hira } from './hira';
import { ia3 } from './ia3';
import { llamaAdapter, llamaAdapterV2 } from './llamaAdapter';
import { lnTuning } from './lnTuning';
import { loha } from './loha';
import { lokr } from './lokr';
import { miss } from './miss';
import { oft } from './oft';
import { promptTuning, pTuning } from './promptTuning';
import { road } from './road';
import { vera } from './vera';

export const adapterMethods: readonly AdapterMethod[] = [
  adalora,
  boft,
  c3a,
  delora,
  dora,
  fourierft,
  hira,
  ia3,
  llamaAdapter,
  llamaAdapterV2,
  lnTuning,
  loha,
  lokr,
  miss,
  oft,
  promptTuning,
  pTuning,
  road,
  vera,
];
