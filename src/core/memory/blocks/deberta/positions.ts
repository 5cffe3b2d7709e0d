import type { ModelFacts } from '../../../models/model';
import type { Tape } from '../../tape';
import type { Element, Tensor } from '../../tensor';

/**
 * build_relative_position: the distance of each pair of tokens, in logarithmic buckets if there are any. One table
 * for all rows and layers.
 */
export function distances(tape: Tape, tokens: number, hasBuckets: boolean): Tensor {
  return tape.call([], () => {
    const queries = tape.name(tape.empty(tokens, 'int64'));
    tape.name(tape.empty(tokens, 'int64'));
    const pairs = tape.empty(queries.elements * tokens, 'int64');
    return hasBuckets ? logBucketPositions(tape, pairs) : pairs;
  });
}

/** make_log_bucket_position, in floating point and back. */
function logBucketPositions(tape: Tape, pairs: Tensor): Tensor {
  const make = (dtype: Element): Tensor => tape.empty(pairs.elements, dtype);
  const next = (dtype: Element, ...from: readonly Tensor[]): Tensor => tape.done(make(dtype), ...from);
  const buckets = tape.call([pairs], () => {
    const signs = tape.name(make('int64'));
    const near = next('bool', make('bool'), make('bool'));
    const limit = tape.empty(1, 'int64');
    const lengths = make('int64');
    const absolute = tape.name(next('int64', near, limit, lengths));
    const logarithm = next('fp32', next('fp32', absolute));
    const far = tape.name(next('fp32', next('fp32', next('fp32', next('fp32', logarithm)))));
    const close = make('bool');
    const plain = make('fp32');
    return next('fp32', close, plain, next('fp32', far, signs));
  });
  return next('int64', buckets);
}
/** A list of words in a config, which is a list or separated by bars; empty if absent. */
export function words({ extra }: ModelFacts, name: string): string {
  const stated = extra[name];
  const all = Array.isArray(stated) ? (stated as readonly unknown[]).join('|') : stated;
  return typeof all === 'string' ? all : '';
}
/**
 * The products of tokens and distances that a model adds to its scores: tokens by distances, distances by tokens.
 */
export function bothWays(model: ModelFacts): { readonly toPositions: boolean; readonly toContents: boolean } {
  const types = words(model, 'pos_att_type');
  return { toPositions: types.includes('c2p'), toContents: types.includes('p2c') };
}
