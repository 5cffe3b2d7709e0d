import { count } from '../engine/readers';
import type { Pack } from '../dialect';

const PROGRAM = 'parseq 1902db0 train.py L64';

/** Scene text recognition: baudm/parseq. */
export const parseq: Pack = {
  id: 'parseq',
  project: 'baudm/parseq 1902db0',
  extends: ['hydra'],
  evidence: { modules: ['strhub'] },
  task: 'scene_text_recognition',
  quantities: {
    seqLen: { keys: ['model.max_label_length'], read: count },
    strategy: run => run.byCode('ddp', PROGRAM),
    precision: run => run.unknown(`The program chooses it when it starts: ${PROGRAM}.`),
  },
};
