import { bytesPer, keepInNode, Node } from '../tensor';
import type { Element, Parameter } from '../tensor';
import { NOT_NOTED } from '../journal';
import type { Storage } from '../ledger';
import type { ParameterGroup } from '../optimizer';
import type { MemoryRun } from '../run';
import type { Gathered } from '../sharding';
import type { Tape } from '../tape';
import { ACTIVATIONS, COMMUNICATION, GRADIENTS } from '../terms';
import type { TermIndex } from '../terms';
import { Kept } from './kept';
import { Unit } from './unit';

/**
 * What a rank holds in addition to its parts while a checkpoint of whole parameters is put together:
 *
 * - FSDP 1, FULL_STATE_DICT (accelerate's default): the root in full, and each layer in turn, in the dtype of the parts
 *   (torch 2.15, distributed/fsdp/_state_dict_utils.py, _full_pre_state_dict_hook: with full precision).
 * - fully_shard and ZeRO 3: one parameter in full at a time (distributed/_state_dict_utils.py, _iterate_state_dict;
 *   DeepSpeed 0.19, runtime/engine.py, _zero3_consolidated_16bit_state_dict, which asks module by module).
 *
 * Checkpoints in parts take nothing of this.
 */
class Saving {
  private readonly units = new Map<Unit, number>();
  private largest = 0;

  constructor(private readonly sharding: Gathered) {}

  /** A full parameter of a unit, in the dtype of its shards. */
  hold(unit: Unit, bytes: number): void {
    this.units.set(unit, (this.units.get(unit) ?? 0) + bytes);
    this.largest = Math.max(this.largest, bytes);
  }

  bytes(root: Unit): number {
    if (this.sharding.kind === 'zero' || this.sharding.version === 2) return this.largest;
    const layers = [...this.units].filter(([unit]) => unit !== root).map(([, bytes]) => bytes);
    return (this.units.get(root) ?? 0) + Math.max(0, ...layers);
  }
}

/** A parameter to shard. */
export interface Whole {
  readonly shape: readonly number[];
  readonly elements: number;
  readonly dtype: Element;
  readonly trainable: boolean;
  readonly term: TermIndex;
}

/** The representation of a parameter on one rank. */
interface Held {
  /** The parameter as operations see it: takes memory only while its unit is gathered. */
  readonly storage: Storage;
  /** The dtype in which operations see it. */
  readonly dtype: Element;
  /** This rank's shard, which the optimizer gets. */
  readonly part: Parameter;
}

/** Sharded parameters, which are gathered when their part of the model runs. */
export class Shards {
  /** Parameters outside layers: gathered for the whole step. */
  readonly root: Unit;
  private readonly units: Unit[] = [];
  /** Parameters that are not cut, with gradients that stay, as the optimizer sees them. */
  private readonly summed = new Map<Parameter, Parameter>();
  private open: Unit;
  /** Bytes of all parameters when gathered. */
  private whole = 0;
  private readonly kept: Kept;
  private readonly saving: Saving;

  constructor(
    private readonly tape: Tape,
    private readonly sharding: Gathered,
  ) {
    this.kept = new Kept(tape.ledger);
    this.saving = new Saving(sharding);
    this.root = new Unit(tape, sharding, this.kept, true);
    this.open = this.root;
  }

  /** Parameters created in `make` form a separate unit. */
  unit<T>(make: () => T): { readonly made: T; readonly unit: Unit } {
    const outer = this.open;
    const unit = new Unit(this.tape, this.sharding, this.kept, false);
    this.units.push(unit);
    this.open = unit;
    const made = make();
    this.open = outer;
    return { made, unit };
  }

  /** False for experts that expert parallelism has shared out already: each rank holds its own in full. */
  cuts({ shape, dtype }: Whole): boolean {
    const { sharding } = this;
    const isPlain = sharding.kind === 'zero' || (sharding.compute ?? dtype) !== dtype;
    return isPlain || this.ranksOf(shape) > 1 || sharding.ranks === 1;
  }

  /** Ranks that share a parameter. Stacked experts have three dimensions. */
  private ranksOf(shape: readonly number[]): number {
    const { sharding } = this;
    if (sharding.kind === 'zero' || shape.length < 3) return sharding.ranks;
    return sharding.expertRanks ?? sharding.ranks;
  }

  /** Allocates a rank's shard of a parameter. */
  hold({ shape, elements, dtype, trainable, term }: Whole, copies: number): Held {
    const { sharding, tape } = this;
    const compute = sharding.compute ?? dtype;
    const part = Math.ceil(elements / this.ranksOf(shape));
    const held = this.heldIn(dtype, trainable);
    const bytes = part * bytesPer(held);
    const storage = this.isOnHost() ? nothing(term, copies) : tape.ledger.place(bytes, term, copies);
    this.whole += elements * bytesPer(compute) * copies;
    if (sharding.kind === 'fsdp' && sharding.staysGathered) {
      tape.ledger.place(elements * bytesPer(compute), COMMUNICATION, copies);
      if (trainable) tape.ledger.place(elements * bytesPer(sharding.reduce ?? compute), GRADIENTS, copies);
    }
    this.open.add(elements * bytesPer(compute), copies);
    this.saving.hold(this.open, elements * bytesPer(held));
    return {
      storage: nothing(term, copies),
      dtype: compute,
      part: {
        storage,
        elements: part,
        dtype: held,
        node: null,
        slot: 0,
        holders: 1,
        uses: 0,
        grad: null,
        shape: this.shapeOf(shape, part),
        copies,
        trainable,
      },
    };
  }

  /** Under mixed precision trainable shards are fp32 (accelerate, accelerator.py, prepare_model). */
  private heldIn(dtype: Element, trainable: boolean): Element {
    const { sharding } = this;
    if (sharding.kind === 'zero') return sharding.compute;
    return trainable && sharding.compute !== null ? 'fp32' : dtype;
  }

  /** fully_shard splits rows; FSDP 1 splits the flat parameter of a unit. */
  private shapeOf(shape: readonly number[], part: number): readonly number[] {
    const { sharding } = this;
    const [rows = 1, ...rest] = shape;
    if (sharding.kind === 'zero' || sharding.version === 1 || rest.length === 0) return [part];
    return [Math.ceil(rows / this.ranksOf(shape)), ...rest];
  }

  /** Allocates a rank's shard of a quantized weight; returns its bytes. */
  reserve(bytes: number, term: TermIndex, copies: number): number {
    const part = Math.ceil(bytes / this.sharding.ranks);
    if (!this.isOnHost()) this.tape.ledger.place(part, term, copies);
    this.open.add(bytes, copies);
    this.saving.hold(this.open, bytes);
    return part;
  }

  /** Memory for assembling a checkpoint. */
  gatheredForSaving(): number {
    return this.saving.bytes(this.root);
  }

  /** A trainable parameter's gradients are reduced with those of its unit. */
  train(parameter: Parameter, part: Parameter): void {
    this.open.train(parameter, part);
  }

  /** Those that are not cut, and whose gradients come and go with steps. */
  uncut(parameters: readonly Parameter[]): readonly Parameter[] {
    return parameters.filter(parameter => isHeldWhole(parameter) && !this.summed.has(parameter));
  }

  /** The gradient of a parameter that is not cut, for all micro-batches of a pipeline. */
  sumGradients(parameter: Parameter): void {
    const { sharding, tape } = this;
    if (sharding.kind === 'zero' || sharding.staysGathered !== true) return;
    const { elements, dtype, copies } = parameter;
    tape.ledger.place(elements * bytesPer(dtype), GRADIENTS, copies);
    this.summed.set(parameter, { ...parameter, grad: nothing(GRADIENTS, copies) });
    parameter.arrived = () => {
      if (parameter.grad) tape.ledger.release(parameter.grad);
      parameter.grad = null;
    };
  }

  makeGradients(): void {
    for (const unit of [...this.units, this.root]) unit.makeGradients();
  }

  gather(): void {
    this.root.gather();
    const { sharding } = this;
    if (sharding.kind !== 'zero') return;
    this.kept.keepForNow(Math.min(this.whole, sharding.liveElements * bytesPer(sharding.compute)));
  }

  /** Ends a step: frees gathered parameters and reduces the remaining gradients. */
  finish(): void {
    for (const unit of [...this.units, this.root]) unit.finish();
    this.kept.release();
  }

  /** The parameters as the optimizer sees them: this rank's shards. */
  trained(groups: readonly ParameterGroup[]): readonly ParameterGroup[] {
    const parts = new Map([this.root, ...this.units].flatMap(unit => [...unit.parts]));
    return groups.map(({ times, parameters }) => ({
      times,
      parameters: parameters.flatMap(
        parameter =>
          parts.get(parameter) ?? this.summed.get(parameter) ?? (isHeldWhole(parameter) ? parameter : []),
      ),
    }));
  }

  private isOnHost(): boolean {
    const { sharding } = this;
    return sharding.kind === 'fsdp' ? sharding.offload : sharding.offloadsParameters;
  }
}

/** True for a parameter that is not one of the gathered ones. */
const isHeldWhole = ({ storage }: Parameter): boolean => storage.bytes > 0;

/** A storage without memory: its views are gathered and freed with their unit. */
function nothing(term: TermIndex, copies: number): Storage {
  return { bytes: 0, term, owners: 1, copies, fresh: false, id: NOT_NOTED };
}

/**
 * Under context parallelism a layer gathers keys and values of the whole row into one buffer (torch 2.15,
 * distributed/tensor/experimental/_context_parallel/_attention.py, _AllGatherRotater).
 */
export function ringBytes({
  ranks: { context: contextRanks },
  batch: { rows: batch, tokens },
  model,
  numbers: { autocast, weightDtype },
}: MemoryRun): number {
  const each = 2 * model.kvHeads * model.headDim * bytesPer(autocast ?? weightDtype);
  return batch * tokens * contextRanks * each;
}

/** A parameter in a storage, with a node for its gradients if it is trained. */
export function parameterOf(
  { shape, elements, dtype, trainable }: Whole,
  storage: Storage,
  copies: number,
): Parameter {
  const node = trainable ? new Node([], keepInNode, ACTIVATIONS) : null;
  // Written out for speed: there are many, and a spread is slow.
  const parameter: Parameter = {
    storage,
    elements,
    dtype,
    node,
    slot: 0,
    holders: 1,
    uses: 0,
    grad: null,
    shape,
    copies,
    trainable,
  };
  if (node) node.leaf = parameter;
  return parameter;
}
