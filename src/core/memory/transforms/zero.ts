import { NOT_NOTED } from '../journal';
import type { Storage } from '../ledger';
import type { ParameterGroup } from '../optimizer';
import type { ZeroSharded } from '../sharding';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter } from '../tensor';
import { COMMUNICATION, GRADIENTS, STATES, TEMPORARIES } from '../terms';

const WIDE = bytesPer('fp32');

/**
 * DeepSpeed's ZeRO optimizers (0.19, runtime/zero/stage_1_and_2.py, stage3.py): each rank has its part of fp32
 * masters, states and, from stage 2, gradients, which leave the parameters as soon as they arrive.
 */
export class Zero {
  private readonly parts = new Map<Parameter, Parameter>();
  /** Number of trained elements of this rank. */
  private elements = 0;
  private buckets: Storage[] = [];
  /** The gradients of this rank, in the dtype of the parameters. */
  private partition: Storage | null = null;

  constructor(
    private readonly tape: Tape,
    private readonly sharding: ZeroSharded,
  ) {}

  /** Allocates this rank's part of a trainable parameter's master. */
  train(parameter: Parameter): void {
    const { sharding, tape } = this;
    const { copies } = parameter;
    const elements = Math.ceil(parameter.elements / sharding.ranks);
    const onHost = sharding.offloadsOptimizer;
    const storage = onHost ? nothing() : tape.ledger.place(elements * WIDE, STATES, copies);
    if (!onHost) {
      this.elements += elements * copies;
      const shape = [elements];
      this.parts.set(parameter, { ...parameter, storage, elements, shape, dtype: 'fp32', grad: nothing() });
    }
    if (sharding.stage > 1) parameter.arrived = () => this.take(parameter);
  }

  /** The parameters as the optimizer sees them. */
  trained(groups: readonly ParameterGroup[]): readonly ParameterGroup[] {
    return groups.map(({ times, parameters }) => ({
      times,
      parameters: parameters.flatMap(parameter => this.parts.get(parameter) ?? []),
    }));
  }

  /** Before backward: allocates the reduction buckets and their output. */
  beginBackward(): void {
    const { reduceBucket, reduceBuffers, compute, stage } = this.sharding;
    for (let i = 0; i < reduceBuffers; i++) {
      this.buckets.push(this.tape.ledger.allocate(reduceBucket * bytesPer(compute), COMMUNICATION));
    }
    if (stage > 1) this.makePartition();
  }

  /** After backward. In stage 1 the full gradients exist until now. */
  finish(parameters: readonly Parameter[]): void {
    for (const bucket of this.buckets) this.tape.ledger.release(bucket);
    this.buckets = [];
    for (const parameter of parameters) this.drop(parameter);
    this.makePartition();
  }

  /**
   * An optimizer step, group by group: gradients are flattened and upcast, and freed afterwards. Stages 1 and 2
   * have one group, and free their 16-bit gradients for it; stage 3 keeps these, and has groups of a limited size.
   */
  step(groups: readonly ParameterGroup[], body: (groups: readonly ParameterGroup[]) => void): void {
    if (this.elements === 0) return;
    const { sharding } = this;
    const chunks = sharding.stage === 3 ? chunked(groups, sharding.subGroup) : [groups];
    for (const chunk of chunks) this.stepOver(chunk, body);
    // Restores the state for the next step.
    const bytes = this.elements * bytesPer(sharding.compute);
    this.partition ??= this.tape.ledger.restore(bytes, GRADIENTS);
  }

  private stepOver(
    groups: readonly ParameterGroup[],
    body: (groups: readonly ParameterGroup[]) => void,
  ): void {
    const { ledger } = this.tape;
    const elements = elementsOf(groups);
    const flat = ledger.allocate(elements * bytesPer(this.sharding.compute), TEMPORARIES);
    const wide = ledger.allocate(elements * WIDE, GRADIENTS);
    ledger.release(flat);
    if (this.sharding.stage < 3) this.dropPartition();
    body(groups);
    ledger.release(wide);
  }

  dropPartition(): void {
    if (this.partition) this.tape.ledger.release(this.partition);
    this.partition = null;
  }

  private makePartition(): void {
    if (this.partition !== null || this.elements === 0) return;
    this.partition = this.tape.ledger.allocate(this.elements * bytesPer(this.sharding.compute), GRADIENTS);
  }

  /** Puts a gradient into the bucket; a larger one is laid out separately for the reduction. */
  private take(parameter: Parameter): void {
    const { ledger } = this.tape;
    if (parameter.elements > this.sharding.reduceBucket) {
      const bytes = parameter.elements * bytesPer(parameter.dtype);
      ledger.release(ledger.allocate(bytes, COMMUNICATION));
    }
    this.drop(parameter);
  }

  private drop(parameter: Parameter): void {
    if (parameter.grad) this.tape.ledger.release(parameter.grad);
    parameter.grad = null;
  }
}

/** A placeholder for a gradient that is part of the partition. */
function nothing(): Storage {
  return { bytes: 0, term: GRADIENTS, owners: 1, copies: 1, fresh: false, id: NOT_NOTED };
}

const elementsOf = (groups: readonly ParameterGroup[]): number =>
  groups.reduce((sum, { times, parameters }) => {
    return sum + times * parameters.reduce((all, { elements }) => all + elements, 0);
  }, 0);

/** Parameters in order, in runs of at most `limit` elements; equal groups stay together if they fit. */
function chunked(groups: readonly ParameterGroup[], limit: number): readonly (readonly ParameterGroup[])[] {
  const chunks: ParameterGroup[][] = [];
  let room = 0;
  const put = (group: ParameterGroup, elements: number): void => {
    if (elements > room) {
      chunks.push([]);
      room = Math.max(limit, elements);
    }
    chunks.at(-1)?.push(group);
    room -= elements;
  };
  for (const { times, parameters } of groups) {
    const each = elementsOf([{ times: 1, parameters }]);
    const together = Math.max(1, Math.floor(limit / Math.max(1, each)));
    if (each > limit) {
      for (let i = 0; i < times; i++) {
        for (const parameter of parameters) put({ times: 1, parameters: [parameter] }, parameter.elements);
      }
      continue;
    }
    for (let done = 0; done < times; done += together) {
      const count = Math.min(together, times - done);
      put({ times: count, parameters }, count * each);
    }
  }
  return chunks;
}
