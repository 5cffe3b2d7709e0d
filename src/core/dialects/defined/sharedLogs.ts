import type { LogLine } from '../../data/forms/line';
import { deepspeedForms } from '../../data/forms/deepspeed';
import { wenetForms } from '../../data/forms/sound';
import {
  dasslForm,
  diffusersBar,
  ddspForm,
  doraForms,
  fuxictrForms,
  graphgymForm,
  levanterForms,
  llamacppForms,
  ltxForm,
  openpcdetForm,
  satForm,
  sb3Forms,
  sovitsForm,
  styleTtsForm,
  torchdrugForm,
  visslForm,
  wespeakerForm,
  xdecoderForm,
} from '../../data/forms/trainers';
import { composerLogs } from '../shared/composerTrainer';
import { lightningLogs, trainerLogs } from '../shared/trainerOutput';

/** Lines that several programs print, by their name in dialect files. */
export const sharedLogs: Readonly<Record<string, readonly LogLine[]>> = {
  composerLogs,
  dasslForm: [dasslForm],
  diffusersBar: [diffusersBar],
  ddspForm: [ddspForm],
  deepspeedForms,
  doraForms,
  fuxictrForms,
  graphgymForm: [graphgymForm],
  levanterForms,
  lightningLogs,
  llamacppForms,
  ltxForm: [ltxForm],
  openpcdetForm: [openpcdetForm],
  satForm: [satForm],
  sb3Forms,
  sovitsForm: [sovitsForm],
  styleTtsForm: [styleTtsForm],
  torchdrugForm: [torchdrugForm],
  trainerLogs,
  visslForm: [visslForm],
  wenetForms,
  wespeakerForm: [wespeakerForm],
  xdecoderForm: [xdecoderForm],
};
