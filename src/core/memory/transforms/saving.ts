import type { Gathered } from '../sharding';
import type { Unit } from './unit';

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
export class Saving {
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
