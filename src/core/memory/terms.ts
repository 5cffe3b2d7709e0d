import type { TermName } from '../models/terms';

/** The terms of the sum, in the order in which people read them. The ledger counts by their index. */
export const TERMS = [
  'weights',
  'adapters',
  'gradients',
  'optimizer states',
  'activations',
  'logits and loss',
  'kv cache',
  'communication',
  'temporaries',
  'inputs and buffers',
  'library workspace',
  'allocator slack',
  'rollout engine',
  'cuda context',
] as const satisfies readonly TermName[];

export type TermIndex = number;

export const WEIGHTS: TermIndex = TERMS.indexOf('weights');
export const ADAPTERS: TermIndex = TERMS.indexOf('adapters');
export const GRADIENTS: TermIndex = TERMS.indexOf('gradients');
export const STATES: TermIndex = TERMS.indexOf('optimizer states');
export const ACTIVATIONS: TermIndex = TERMS.indexOf('activations');
export const LOGITS: TermIndex = TERMS.indexOf('logits and loss');
export const KV_CACHE: TermIndex = TERMS.indexOf('kv cache');
export const COMMUNICATION: TermIndex = TERMS.indexOf('communication');
export const TEMPORARIES: TermIndex = TERMS.indexOf('temporaries');
export const INPUTS: TermIndex = TERMS.indexOf('inputs and buffers');
