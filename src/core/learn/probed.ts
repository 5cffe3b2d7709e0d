import type { TermName } from '../models/terms';

/**
 * Of a probe's peak weights, gradients and states are known by name; what lies between them in torch's allocator is one
 * amount, which it calls activations.
 */
export const BETWEEN: ReadonlySet<TermName> = new Set<TermName>([
  'activations',
  'logits and loss',
  'temporaries',
  'inputs and buffers',
  'kv cache',
  'communication',
  'library workspace',
]);
