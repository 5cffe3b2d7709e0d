// Written by scripts/registries.mjs: it lists every file of this folder.
import type { Facts } from '../fact';
import { aiToolkitFacts } from './aiToolkit';
import { composerFacts } from './composer';
import { diffusionPolicyFacts } from './diffusionPolicy';
import { lightningFacts, lightningCliFacts } from './lightning';
import { litgptFacts } from './litgpt';
import { llamafactoryFacts } from './llamafactory';
import { llamafactoryV1Facts } from './llamafactoryV1';
import { megatronBridgeFacts } from './megatronBridge';
import { msSwiftFacts } from './msSwift';
import { nemoAutomodelFacts } from './nemoAutomodel';
import { nemoMegatronFacts } from './nemoMegatron';
import { nemoRlFacts } from './nemoRl';
import { openInstructFacts } from './openInstruct';
import { gptNeoxFacts, linguaFacts, nanotronFacts } from './pretraining';
import { mmfFacts, swinFacts, ludwigFacts } from './research';
import { safariFacts } from './safari';
import { servingFacts } from './serving';
import {
  speechbrainFacts,
  espnetFacts,
  wenetFacts,
  fairseqFacts,
  audiocraftFacts,
  opennmtFacts,
  ddspSvcFacts,
} from './sound';
import { torchtuneFacts } from './torchtune';
import { ultralyticsFacts } from './ultralytics';
import { verlFacts } from './verl';
import { detectron2Facts, detrYamlFacts, timmFacts, lavisFacts } from './vision';
import { xFluxFacts } from './xFlux';

export const facts: readonly Facts[] = [
  aiToolkitFacts,
  composerFacts,
  diffusionPolicyFacts,
  lightningFacts,
  lightningCliFacts,
  litgptFacts,
  llamafactoryFacts,
  llamafactoryV1Facts,
  megatronBridgeFacts,
  msSwiftFacts,
  nemoAutomodelFacts,
  nemoMegatronFacts,
  nemoRlFacts,
  openInstructFacts,
  gptNeoxFacts,
  linguaFacts,
  nanotronFacts,
  mmfFacts,
  swinFacts,
  ludwigFacts,
  safariFacts,
  servingFacts,
  speechbrainFacts,
  espnetFacts,
  wenetFacts,
  fairseqFacts,
  audiocraftFacts,
  opennmtFacts,
  ddspSvcFacts,
  torchtuneFacts,
  ultralyticsFacts,
  verlFacts,
  detectron2Facts,
  detrYamlFacts,
  timmFacts,
  lavisFacts,
  xFluxFacts,
];
