import { towerOf } from '../models/languageModel';
import type { ModelFacts } from '../models/model';
import type { Architecture } from './architecture';
import { buildTower } from './blocks/images/tower';
import { add, sum } from './ops/pointwise';

/**
 * A language model with the vision tower in front of it. Tokens of images count among those of a row. Where nobody says
 * how large images are, the tower's weights are there, and what it keeps of images is not; else each row has one, whose
 * states live until the language model has them, and where the tower is trained what it keeps to the end of backward.
 */
export function withTower(architecture: Architecture, model: ModelFacts): Architecture {
  const tower = towerOf(model);
  if (tower === null) return architecture;
  return {
    ...architecture,
    build: (builder, run) => {
      const sight = buildTower(builder, run, tower);
      const text = architecture.build(builder, run);
      if (!sight || run.task !== 'train') return text;
      return (tape, batch) =>
        tape.call([], () => {
          const seen = tape.name(tape.call([], () => sight(tape)));
          const loss = text(tape, batch);
          // Its gradient comes through the words' embeddings, when all layers are through with theirs.
          return seen.node === null ? loss : add(tape, loss, sum(tape, seen));
        });
    },
  };
}
