import type { Builder, Repeated } from '../../../modules';
import type { MemoryRun } from '../../../run';
import { repeatStreams } from '../../../streams';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { checkpointStreams } from '../../../transforms/checkpoint';

/** States that blocks pass on: of an image, of a text, or of both concatenated. */
export type Streams = readonly Tensor[];

/** Blocks in sequence, in groups that one round of checkpointing spans. */
export interface Chain<Block> {
  readonly groups: readonly Repeated<readonly Block[]>[];
  /** Number of checkpointed blocks per group; 0: none. */
  readonly marked: number;
  /** They form one checkpoint, or each is one. */
  readonly apart: boolean;
}

/** `count` equal blocks. */
export function buildChain<Block>(
  builder: Builder,
  { recompute: { checkpointing, segments } }: MemoryRun,
  count: number,
  make: () => Block,
): Chain<Block> {
  const { width, stride, apart = false } = segments ?? { width: 1, stride: 1 };
  const group = (size: number) => (): readonly Block[] => Array.from({ length: size }, make);
  const whole = Math.floor(count / stride);
  return {
    groups: [
      ...(whole > 0 ? builder.repeat(whole, group(stride)) : []),
      ...(count % stride > 0 ? builder.repeat(1, group(count % stride)) : []),
    ],
    marked: checkpointing === 'none' ? 0 : width,
    apart,
  };
}

/** How one block runs. */
interface Running<Block> {
  readonly step: (block: Block, streams: Streams) => Streams;
  /**
   * Inputs of the blocks in addition to the streams: held by checkpoints, and their gradients accumulate if
   * required.
   */
  readonly held: readonly Tensor[];
}

/** Runs the blocks; the streams and their results are named in the running function. */
export function runChain<Block>(
  tape: Tape,
  streams: Streams,
  { groups, marked, apart }: Chain<Block>,
  { step, held }: Running<Block>,
): Streams {
  const plain = (blocks: readonly Block[], inputs: Streams): Streams =>
    blocks.reduce<Streams>((states, block) => rebindAll(tape, states, step(block, states)), inputs);
  const shared = held.filter(({ node }) => node !== null);
  return groups.reduce<Streams>((outer, { part, times }) => {
    const round = (inputs: Streams): Streams =>
      tape.call(inputs, () => {
        const names = inputs.map(one => tape.name(one));
        const kept = segmentsOf(part.slice(0, marked), apart).reduce<Streams>((states, segment) => {
          const body = (given: Streams): Streams =>
            tape.call(given, () =>
              plain(
                segment,
                given.map(one => tape.name(one)),
              ),
            );
          return rebindAll(tape, states, checkpointStreams(tape, states, held, body));
        }, names);
        return plain(part.slice(marked), kept);
      });
    return repeatStreams(tape, times, outer, round, shared);
  }, streams);
}

function segmentsOf<Block>(blocks: readonly Block[], apart: boolean): readonly (readonly Block[])[] {
  return apart ? blocks.map(block => [block]) : blocks.length > 0 ? [blocks] : [];
}

/** Rebinds names to the results, all of which are held before any name is released. */
function rebindAll(tape: Tape, names: Streams, results: Streams): Streams {
  for (const one of results) tape.keep(one);
  results.forEach((one, i) => {
    const name = names[i];
    if (name) tape.rename(name, one);
    else tape.name(one);
  });
  for (const one of results) tape.release(one);
  return results;
}
