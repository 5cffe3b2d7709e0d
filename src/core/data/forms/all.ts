import { deepspeedForms } from './deepspeed';
import { headroomForms } from './headroom';
import { huggingFaceForms } from './huggingFace';
import { llmForms } from './llm';
import { megatronForms } from './megatron';
import { ownForms } from './own';
import { servingForms } from './serving';
import { soundForms } from './sound';
import { trainersForms } from './trainers';
import { visionForms } from './vision';

/** Every known line, whatever prints it; people's own scripts last. */
export const forms = [
  ...headroomForms,
  ...huggingFaceForms,
  ...megatronForms,
  ...deepspeedForms,
  ...visionForms,
  ...soundForms,
  ...servingForms,
  ...llmForms,
  ...trainersForms,
  ...ownForms,
];
