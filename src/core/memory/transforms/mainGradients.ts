import { NOT_NOTED } from '../journal';
import type { Storage } from '../ledger';
import type { ParameterGroup } from '../optimizer';
import type { MegatronSharded } from '../sharding';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter } from '../tensor';
import { GRADIENTS, STATES } from '../terms';

const WIDE = bytesPer('fp32');

/**
 * Megatron's mixed precision: accumulates gradients in permanent fp32 buffers, with fp32 masters of 16-bit weights;
 * the distributed optimizer shards masters and states over the data-parallel ranks
 * (megatron/core/distributed/param_and_grad_buffer.py; core/optimizer/optimizer.py,
 * Float16OptimizerWithFloat16Params; distrib_optimizer.py).
 */
export class MainGradients {
  private readonly parts = new Map<Parameter, Parameter>();

  constructor(
    private readonly tape: Tape,
    private readonly sharding: MegatronSharded,
  ) {}

  /** Allocates a parameter's gradient, and this rank's part of its master. */
  train(parameter: Parameter): void {
    const { tape, sharding } = this;
    const { copies, elements } = parameter;
    tape.ledger.place(elements * WIDE, GRADIENTS, copies);
    // Experts have separate replicas.
    const ranks = parameter.shape.length > 2 ? sharding.expertRanks : sharding.ranks;
    const own = Math.ceil(elements / (sharding.distributed ? ranks : 1));
    const storage = sharding.onHost ? nothing() : tape.ledger.place(own * WIDE, STATES, copies);
    if (!sharding.onHost) {
      const part = { ...parameter, storage, elements: own, shape: [own], dtype: 'fp32' as const };
      this.parts.set(parameter, { ...part, grad: nothing() });
    }
    parameter.arrived = () => this.drop(parameter);
  }

  /** The parameters as the optimizer sees them. */
  trained(groups: readonly ParameterGroup[]): readonly ParameterGroup[] {
    return groups.map(({ times, parameters }) => ({
      times,
      parameters: parameters.flatMap(parameter => this.parts.get(parameter) ?? []),
    }));
  }

  /** Adds an arrived gradient to the buffer. */
  private drop(parameter: Parameter): void {
    if (parameter.grad) this.tape.ledger.release(parameter.grad);
    parameter.grad = null;
  }
}

/** A placeholder for a gradient that is part of the buffer. */
function nothing(): Storage {
  return { bytes: 0, term: GRADIENTS, owners: 1, copies: 1, fresh: false, id: NOT_NOTED };
}
