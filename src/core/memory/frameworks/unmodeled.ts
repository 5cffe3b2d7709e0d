import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/* Frameworks with model code of their own, which keeps other tensors for backward than transformers' does. */

const ownCode: FrameworkProfile = { ...usual, models: 'not modeled' };

export const gptNeox: FrameworkProfile<'gpt-neox'> = { ...ownCode, id: 'gpt-neox' };
export const levanter: FrameworkProfile<'levanter'> = { ...ownCode, id: 'levanter' };
export const lingua: FrameworkProfile<'lingua'> = { ...ownCode, id: 'lingua' };
export const maxtext: FrameworkProfile<'maxtext'> = { ...ownCode, id: 'maxtext' };
export const nanotron: FrameworkProfile<'nanotron'> = { ...ownCode, id: 'nanotron' };
export const unsloth: FrameworkProfile<'unsloth'> = { ...ownCode, id: 'unsloth' };
