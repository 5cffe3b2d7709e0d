import { towerOf, towerParameters } from '../../../models/languageModel';
import type { VisionTower } from '../../../models/languageModel';
import type { ModelFacts } from '../../../models/model';
import type { Architecture } from '../../architecture';
import type { Builder, Linear, Pass, Repeated, Step } from '../../modules';
import { sdpa } from '../../ops/attention';
import { convolution } from '../../ops/convolution';
import { activation, add, sum } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { checkpoint } from '../../transforms/checkpoint';
import { buildLayerNorm } from '../norm';
import { TOWER_PLACE } from './place';

/** Color channels of an image. */
const COLORS = 3;

/** The tower's output for the images of a batch; null: no images. */
type Sight = (tape: Tape) => Tensor;

/**
 * A vision tower: a patch transformer like CLIP's and SigLIP's (transformers, modeling_clip.py,
 * modeling_siglip.py), then everything else that the model has in addition to its language model (a projector,
 * position tables), as one matrix. Each layer is a unit if ranks share parameters. Frozen parts get no adapters.
 */
function buildTower(builder: Builder, run: MemoryRun, tower: VisionTower): Sight | null {
  const { model } = run;
  const { frozenParts = [] } = run.training;
  const made = <T>(part: 'vision tower' | 'projector', make: () => T): T =>
    frozenParts.includes(part) ? builder.frozen(make) : make();
  const images = imagesOf(run, tower);
  const rest = restOf(model, tower);
  const layers = made('vision tower', () =>
    builder.repeat(tower.layers, () => builder.layer(() => buildLayer(builder, run, tower, images.places))),
  );
  const weight = made('vision tower', () => {
    const shape = [tower.width, COLORS, tower.patch, tower.patch];
    const kernels = [builder.kernel(shape)];
    return kernels[0];
  });
  made('projector', () =>
    builder.layer(() => {
      if (rest > 0) builder.stacked([rest]);
      return UNUSED;
    }),
  );
  if (images.count === 0 || !weight) return null;
  return tape => {
    const pixels = tape.name(
      tape.empty(images.count * images.places * COLORS * tower.patch ** 2, run.numbers.weightDtype),
    );
    const elements = images.count * images.places * tower.width;
    return see(tape, run, layers, convolution(tape, pixels, { weight, bias: null }, elements));
  };
}

/** Text input bypasses the tower. */
const UNUSED: Pass<readonly []> = (_, x) => x;

/** Images of a fixed size, or one with the maximum number of pixels, in patches. */
function imagesOf(
  { batch: { picturePixels, rows: batch }, task }: MemoryRun,
  { side, patch }: VisionTower,
): { readonly count: number; readonly places: number } {
  if (picturePixels.kind !== 'known' || task === 'load') return { count: 0, places: 1 };
  const pixels = side === null ? picturePixels.value : side ** 2;
  return { count: batch, places: Math.max(1, Math.floor(pixels / patch ** 2)) };
}

/** All layers in order, each checkpointed if the run says so. */
function see(
  tape: Tape,
  { recompute: { checkpointing: kind } }: MemoryRun,
  layers: readonly Repeated<Pass<readonly []>>[],
  embedded: Tensor,
): Tensor {
  return tape.call([embedded], () => {
    let states = tape.name(embedded);
    for (const { part, times } of layers) {
      const body = (x: Tensor): Tensor => part(tape, x);
      states = tape.repeat(times, states, [x => checkpoint(tape, x, { kind, captured: [], body })]);
    }
    return states;
  });
}

function buildLayer(
  builder: Builder,
  { batch: { rows: batch }, kernels: { hasFlash } }: MemoryRun,
  { width, inner, heads }: VisionTower,
  places: number,
): Pass<readonly []> {
  const linear = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name: TOWER_PLACE + name, inputs, outputs, bias: true });
  const [q, k, v, output] = [
    linear('q_proj', width, width),
    linear('k_proj', width, width),
    linear('v_proj', width, width),
    linear('out_proj', width, width),
  ];
  const [up, down] = [linear('fc1', width, inner), linear('fc2', inner, width)];
  const [first, second] = [buildLayerNorm(builder, width), buildLayerNorm(builder, width)];
  const sizes = { batch, heads, kvHeads: heads, headDim: width / heads, queries: places, keys: places };
  const attention: Step = (tape, x) =>
    tape.call([x], () => {
      const named = (project: Linear): Tensor => tape.name(project(tape, x));
      const inputs = { query: named(q), key: named(k), value: named(v) };
      return output(tape, tape.name(sdpa(tape, inputs, { ...sizes, hasFlash }, null)));
    });
  const mlp: Step = (tape, x) =>
    tape.call([x], () => {
      const wide = tape.name(up(tape, x));
      return down(tape, tape.rename(wide, activation(tape, wide)));
    });
  return (tape, x) =>
    tape.call([x], () => {
      const normed = tape.name(first(tape, x));
      const mixed = tape.rename(normed, attention(tape, normed));
      const middle = tape.rename(mixed, add(tape, x, mixed));
      const again = tape.name(second(tape, middle));
      const changed = tape.rename(again, mlp(tape, again));
      return add(tape, middle, changed);
    });
}

/** Parameters outside the language model and the tower's layers and patches. */
function restOf({ publishedTotal, parameters }: ModelFacts, tower: VisionTower): number {
  if (publishedTotal === null || parameters === null) return 0;
  return publishedTotal - parameters.total - towerParameters(tower);
}

/**
 * A language model with a vision tower. Image tokens are part of a row's tokens. If the image size is unknown, only
 * the tower's weights count, not what it keeps of images. Otherwise each row has one image, whose states live until
 * the language model has them; what a trained tower keeps lives to the end of backward.
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
          // Its gradient comes from the words' embeddings, after all layers of the language model.
          return seen.node === null ? loss : add(tape, loss, sum(tape, seen));
        });
    },
  };
}
