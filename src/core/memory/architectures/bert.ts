import type { Architecture } from '../architecture';
import { encoderArchitecture } from '../blocks/encoderArchitecture';

/** Positions from a buffer; the pooled first token is classified. */
export const bert: Architecture = encoderArchitecture({
  modelTypes: ['bert'],
  source: 'transformers 5.23.0, models/bert/modeling_bert.py',
  pooled: ['base', 'sequence-classification'],
  rowsOf(tape, inputIds, { tokens }) {
    const types = tape.name(tape.empty(tokens, 'int64'));
    return { types: tape.view(types, inputIds.elements), positions: tape.view(types, tokens) };
  },
});
