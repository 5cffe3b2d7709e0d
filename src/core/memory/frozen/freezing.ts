import type { Element } from '../tensor';
import { NORM, moduleOf, trainsOf } from './names';
import type { NamedParts, Trains } from './names';
import type { ParameterGroup } from '../optimizer';
import type { MemoryRun } from '../run';
import { Tape } from '../tape';
import { STATES } from '../terms';

/** What is trained of a base of which parts are frozen. */
export interface PartlyTrained {
  readonly parts: NamedParts;
  /** What is trained is held in this; null: as the rest. */
  readonly dtype: Element | null;
  /** Only layers of which something is trained are checkpointed, and what goes into them is made to want a gradient. */
  readonly checkpointsTrained: boolean;
}

/** Modules by which layers are told apart. */
const MODULES = [
  ...['q_proj', 'k_proj', 'v_proj', 'o_proj', 'qkv_proj', 'query_key_value', 'c_attn', 'dense'],
  ...['gate_proj', 'up_proj', 'down_proj', 'gate_up_proj', 'experts', 'gate', 'fc1', 'fc2', 'c_fc', 'c_proj'],
].map(moduleOf);

/** Layers in a row of which the same is trained. */
export interface Alike {
  readonly first: number;
  readonly times: number;
}

/** Which parameters are trained, as they are made one after the other. */
export class Freezing {
  private readonly trains: Trains;
  private layer: number | null = null;

  constructor(
    readonly partly: PartlyTrained,
    layers: number,
  ) {
    this.trains = trainsOf(partly.parts, layers);
  }

  /** Whether the parameter of this name is trained: a linear layer's or a table's own, nothing for a norm. */
  takes(name: string | null): boolean {
    const { layer } = this;
    if (layer === null) return this.trains(name ?? 'norm', null);
    return this.trains(name === null ? NORM : moduleOf(name), layer);
  }

  /** What is made meanwhile belongs to this layer. */
  at<Part>(layer: number, make: () => Part): Part {
    const outer = this.layer;
    this.layer = layer;
    const made = make();
    this.layer = outer;
    return made;
  }

  /** Whether anything of a layer is trained. */
  trainsIn(layer: number): boolean {
    return this.wordOf(layer).includes('1');
  }

  /**
   * Rounds of `width` layers each, together where the same of them is trained: those below the lowest that is trained
   * first, then that one and its like, then the others. Memory asks how many there are of each above the lowest, not in
   * which order they come.
   */
  alike(from: number, times: number, width: number): readonly Alike[] {
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
 * States of layers that are not trained now but were before: an optimizer keeps what it has made (torch/optim/optimizer.py;
 * axolotl, utils/callbacks/lisa.py, which switches `requires_grad` and nothing else).
 */
export function statesOfOthers(
  { training: { partly, optimizer } }: MemoryRun,
  groups: readonly ParameterGroup[],
): number {
  if (partly?.parts.by !== 'turn' || optimizer === null) return 0;
  const others = groups.map(({ times, parameters }) => ({
    times,
    parameters: parameters.filter(({ trainable }) => !trainable),
  }));
  const tape = new Tape();
  optimizer.step(tape, others, true);
  return tape.ledger.terms[STATES] ?? 0;
}
