import { NORM, moduleOf, trainsOf } from './names';
import type { Trains } from './names';
import type { ParameterGroup } from '../optimizer';
import type { MemoryRun, PartlyTrained } from '../run';
import { Tape } from '../tape';
import { STATES } from '../terms';

/** Modules that distinguish layers. */
const MODULES = [
  ...['q_proj', 'k_proj', 'v_proj', 'o_proj', 'qkv_proj', 'query_key_value', 'c_attn', 'dense'],
  ...['gate_proj', 'up_proj', 'down_proj', 'gate_up_proj', 'experts', 'gate', 'fc1', 'fc2', 'c_fc', 'c_proj'],
].map(moduleOf);

/** Consecutive layers with the same trained parts. */
interface EqualLayers {
  readonly first: number;
  readonly times: number;
}

/** Decides which parameters are trained, in the order of their creation. */
export class Freezing {
  private readonly trains: Trains;
  private layer: number | null = null;

  constructor(
    readonly partly: PartlyTrained,
    layers: number,
  ) {
    this.trains = trainsOf(partly.parts, layers);
  }

  /** True if the parameter of this name is trained: a linear layer or a table; null for a norm. */
  takes(name: string | null): boolean {
    const { layer } = this;
    if (layer === null) return this.trains(name ?? 'norm', null);
    return this.trains(name === null ? NORM : moduleOf(name), layer);
  }

  /** Parameters created in `make` belong to this layer. */
  at<Part>(layer: number, make: () => Part): Part {
    const outer = this.layer;
    this.layer = layer;
    const made = make();
    this.layer = outer;
    return made;
  }

  /** True if any part of a layer is trained. */
  trainsIn(layer: number): boolean {
    return this.wordOf(layer).includes('1');
  }

  /**
   * Rounds of `width` layers each, grouped by equal trained parts: those below the lowest trained one first, then
   * that one and its equals, then the others. Memory depends on their numbers above the lowest one, not on their
   * order.
   */
  equalLayers(from: number, times: number, width: number): readonly EqualLayers[] {
    const found = new Map<string, { first: number; times: number }>();
    let reached = false;
    for (let round = 0; round < times; round++) {
      const first = from + round * width;
      const word = Array.from({ length: width }, (_, i) => this.wordOf(first + i)).join(' ');
      reached ||= word.includes('1');
      const key = reached ? word : 'below';
      const group = found.get(key);
      if (group) group.times += 1;
      else found.set(key, { first, times: 1 });
    }
    return [...found.values()];
  }

  private wordOf(layer: number): string {
    return [...MODULES, NORM].map(module => (this.trains(module, layer) ? '1' : '0')).join('');
  }
}

/**
 * States of layers that were trained earlier but not now: an optimizer keeps its states (torch/optim/optimizer.py;
 * axolotl, utils/callbacks/lisa.py, which only switches `requires_grad`).
 */
export function statesOfOthers(
  { training: { partly, optimizer } }: MemoryRun,
  groups: readonly ParameterGroup[],
): number {
  if (partly?.parts.by !== 'turn' || partly.parts.optimized === 'first' || optimizer === null) return 0;
  const others = groups.map(({ times, parameters }) => ({
    times,
    parameters: parameters.filter(({ trainable }) => !trainable),
  }));
  const tape = new Tape();
  optimizer.step(tape, others, true);
  return tape.ledger.terms[STATES] ?? 0;
}
