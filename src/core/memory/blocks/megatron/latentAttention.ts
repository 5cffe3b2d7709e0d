import type { MlaFacts } from '../../../models/model';
import type { Builder, Step } from '../../modules';
import { columnLinear, moved } from '../../ops/megatron';
import { linear } from '../../ops/linear';
import { copy, split } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import { coreAttention, coreAttentionOf, ratesOf } from './attention';
import { norm, rowLinear, weights } from './layer';

/**
 * MLASelfAttention (core/transformer/multi_latent_attention.py): queries, keys and values from low-rank tensors.
 */
export function latentAttention(builder: Builder, run: MemoryRun, mla: MlaFacts): Step {
  const { heads, hiddenSize } = run.model;
  const { qLoraRank, kvLoraRank, qkNopeHeadDim: plain, qkRopeHeadDim: turned, vHeadDim } = mla;
  const ranks = run.ranks.sequence ?? 1;
  const input = norm(builder, run);
  const queryWidth = heads * (plain + turned);
  const queryDown = qLoraRank > 0 ? weights(builder, [qLoraRank, hiddenSize], false) : null;
  const queryNorm = qLoraRank > 0 ? norm(builder, run, qLoraRank) : null;
  const queryUp = weights(builder, [queryWidth, qLoraRank > 0 ? qLoraRank : hiddenSize], false);
  const keyDown = weights(builder, [kvLoraRank + turned, hiddenSize], false);
  const keyNorm = norm(builder, run, kvLoraRank);
  const keyUp = weights(builder, [heads * (plain + vHeadDim), kvLoraRank], false);
  const output = weights(builder, [hiddenSize, heads * vHeadDim], false);
  const core = coreAttentionOf(
    { ...run, model: { ...run.model, kvHeads: heads, headDim: plain + turned } },
    ratesOf(run).attention,
  );
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.name(input(tape, x));
      const narrow = queryDown && queryNorm ? queryNorm(tape, linear(tape, states, ...queryDown)) : states;
      const queries = tape.name(columnLinear(tape, narrow, queryUp, run));
      const query = tape.name(moved(tape, queries, queries.elements));
      tape.drop(queries);
      const down = tape.name(linear(tape, states, ...keyDown));
      const tokens = down.elements / (kvLoraRank + turned);
      const [latent = down] = split(tape, down, [tokens * kvLoraRank, tokens * turned]);
      const both = tape.name(columnLinear(tape, keyNorm(tape, latent), keyUp, run));
      const all = tokens * ranks * heads;
      const [keys = both, values = both] = split(tape, both, [all * plain, all * vHeadDim]);
      // The rotated part, which all heads share, is concatenated with each head's own.
      const key = tape.name(moved(tape, keys, all * (plain + turned)));
      const value = tape.name(copy(tape, values));
      tape.drop(both);
      const context = tape.name(coreAttention(tape, { query, key, value }, core));
      return rowLinear(tape, context, output, run);
    });
}
