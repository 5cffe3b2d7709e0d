import type { Architecture } from '../architecture';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { bertEmbeddings } from '../blocks/encoderEmbeddings';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** create_position_ids_from_input_ids: positions are counted over tokens that are no padding. */
export function countedPositions(tape: Tape, { elements }: Tensor): Tensor {
  return tape.call([], () => {
    const mask = tape.name(tape.done(tape.empty(elements, 'int32'), tape.empty(elements, 'bool')));
    const sums = tape.empty(elements, 'int64');
    const narrow = tape.done(tape.like(mask), sums);
    const counted = tape.name(tape.done(tape.like(mask), tape.done(tape.like(mask), narrow)));
    const wide = tape.empty(counted.elements, 'int64');
    return tape.done(tape.like(wide), wide);
  });
}

/** BERT with positions counted for each row, and a head of its own over the first token. */
export const roberta: Architecture = encoderArchitecture({
  modelTypes: ['roberta', 'xlm-roberta', 'camembert'],
  source: 'transformers 5.23.0, models/roberta/modeling_roberta.py',
  pooled: ['base'],
  embeddings: bertEmbeddings((tape, inputIds) => {
    const positions = tape.name(countedPositions(tape, inputIds));
    const types = tape.name(tape.empty(inputIds.elements, 'int64'));
    return { types: tape.view(types, types.elements), positions: tape.view(positions, positions.elements) };
  }),
});
