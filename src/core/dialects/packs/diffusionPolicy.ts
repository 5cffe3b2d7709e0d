import { count, word } from '../engine/readers';
import type { Pack } from '../dialect';
import { plainSize } from '../shared/imageSize';

/** Robots that imitate: real-stanford/diffusion_policy, and robomimic, whose policies it trains. */
export const diffusionPolicy: Pack = {
  id: 'diffusion-policy',
  project: 'real-stanford/diffusion_policy 5ba07ac',
  extends: ['hydra'],
  evidence: { modules: ['diffusion_policy', 'robomimic'], classKeys: ['policy._target_'] },
  task: 'imitation_learning',
  quantities: {
    model: { keys: ['policy._target_'], read: word },
    seqLen: { keys: ['horizon'], read: count },
    imageSize: { keys: ['policy.crop_shape'], read: plainSize },
    gradAccum: { keys: ['training.gradient_accumulate_every'], read: count },
  },
};
