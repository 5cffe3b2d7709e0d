import type { Storage } from '../ledger';
import type { Gathered } from '../sharding';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter, Tensor } from '../tensor';
import { COMPUTE, GATHER, REDUCE } from '../cudaStreams';
import { COMMUNICATION, GRADIENTS } from '../terms';
import type { Kept } from './kept';

/**
 * Parameters that are gathered and freed together: an FSDP unit, one per layer, and the root with the rest. Their
 * full bytes exist while they are used in forward and backward; full gradients exist until those of the whole unit
 * have arrived, and are then reduced to each rank's part.
 */
export class Unit {
  /** This rank's shards, by parameter. */
  readonly parts = new Map<Parameter, Parameter>();
  private whole = 0;
  private copies = 1;
  private gathered: Storage[] = [];
  /** Between the arrival of its output's gradient and the reduction of its own. */
  private inBackward = false;
  /** The layer's input has no history: a reentrant checkpoint runs it again. */
  private startsAtLeaf = false;
  private keepsLeaf = false;
  /** The buffer of the previous layer's reduction. */
  private before: Storage | null = null;

  constructor(
    private readonly tape: Tape,
    private readonly sharding: Gathered,
    private readonly kept: Kept,
    private readonly isRoot: boolean,
  ) {}

  add(whole: number, copies: number): void {
    this.copies = copies;
    // DeepSpeed gathers module by module: outside layers, one table or head at a time.
    const apart = this.isRoot && this.sharding.kind === 'zero';
    this.whole = apart ? Math.max(this.whole, whole) : this.whole + whole;
  }

  train(parameter: Parameter, part: Parameter): void {
    this.parts.set(parameter, part);
    if (!this.stays()) return;
    part.grad = this.tape.ledger.place(wholeBytes(part), GRADIENTS, part.copies);
  }

  /** A layer's pass, between gathering and freeing its parameters. */
  around(x: Tensor, body: (x: Tensor) => Tensor): Tensor {
    if (this.inBackward) return body(x);
    const { tape } = this;
    this.gather();
    this.meet(x);
    const entry = tape.record(x);
    const result = body(entry ? tape.view(x, x.elements, entry) : x);
    const exit = tape.record(result);
    if (tape.graph === null || this.reshards()) this.giveBack();
    if (exit === null) return result;
    exit.backward = grad => {
      this.arrive(grad);
      return [grad];
    };
    if (entry) {
      entry.backward = grad => {
        this.reduce();
        return [grad];
      };
    }
    return tape.done(tape.view(result, result.elements, exit), result);
  }

  /** Gathers the shards of all ranks. */
  gather(): void {
    const { tape, sharding } = this;
    if (this.gathered.length > 0 || this.stays()) return;
    const { ledger } = tape;
    if (sharding.kind === 'fsdp' && sharding.version === 1 && (sharding.compute || sharding.offload)) {
      // The shard in the compute dtype, or its copy from the CPU, until the others have arrived.
      const cast = ledger.allocateIn(GATHER, this.whole / sharding.ranks, COMMUNICATION);
      this.gathered.push(ledger.allocateIn(GATHER, this.whole, COMMUNICATION));
      ledger.release(cast);
      return;
    }
    const buffer = this.copiesOut() ? ledger.allocateIn(GATHER, this.whole, COMMUNICATION) : null;
    // fully_shard's parameters are separate tensors; FSDP 1's and DeepSpeed's are views of the gathered buffer.
    this.gathered.push(ledger.allocateIn(buffer ? COMPUTE : GATHER, this.whole, COMMUNICATION));
    if (buffer === null) return;
    // In forward a layer's buffer lives until the next layer's parameters are gathered (_fsdp_param_group.py,
    // wait_for_unshard).
    if (this.isRoot || this.inBackward) ledger.release(buffer);
    else this.gathered.push(buffer);
  }

  /** fully_shard gathers into one buffer, and copies each parameter out of it. */
  private copiesOut(): boolean {
    return this.sharding.kind === 'fsdp' && this.sharding.version === 2;
  }

  /** Everything stays gathered for the whole step (FullySharded.staysGathered). */
  private stays(): boolean {
    return this.sharding.kind === 'fsdp' && this.sharding.staysGathered === true;
  }

  /** Ends the step. */
  finish(): void {
    this.reduce();
  }

  private reshards(): boolean {
    return this.sharding.kind === 'zero' || this.sharding.reshards;
  }

  private giveBack(): void {
    for (const storage of this.gathered) this.tape.ledger.release(storage);
    this.gathered = [];
  }

  /** Backward reaches the layer: gathers its parameters, and prefetches those of the next one. */
  private arrive(grad: Tensor): void {
    this.inBackward = true;
    this.kept.backwardBegins();
    if (this.keepsLeaf) this.kept.keepGradient(grad.storage);
    this.gather();
    this.meetReduction();
    const ahead = this.aheadBytes();
    if (ahead > 0) this.gathered.push(this.tape.ledger.allocateIn(GATHER, ahead, COMMUNICATION));
  }

  /**
   * fully_shard keeps the input of a layer's reduction until the next layer's reduction (_fsdp_param_group.py,
   * reduce_scatter_state): among equal layers each finds the buffer of the previous one.
   */
  private meetReduction(): void {
    if (!this.copiesOut() || this.isRoot || this.stays() || this.parts.size === 0) return;
    this.before = this.tape.ledger.allocate(this.reducedBytes([...this.parts.keys()]), COMMUNICATION);
  }

  private forgetReduction(): void {
    if (this.before) this.tape.ledger.release(this.before);
    this.before = null;
  }

  /** Bytes of these parameters' gradients in the reduction dtype. */
  private reducedBytes(parameters: readonly Parameter[]): number {
    const wanted = this.sharding.kind === 'fsdp' ? this.sharding.reduce : null;
    return parameters.reduce((sum, { elements, dtype }) => sum + elements * bytesPer(wanted ?? dtype), 0);
  }

  /**
   * FSDP1 prefetches what has run with a graph, which no layer has yet under reentrant checkpointing
   * (_runtime_utils.py, _get_handle_to_prefetch: _needs_pre_backward_unshard). If each adapter matrix is a unit,
   * one of these is next.
   */
  private aheadBytes(): number {
    const { sharding, whole } = this;
    if (this.stays()) return 0;
    if (sharding.kind === 'zero') {
      return Math.min(whole, sharding.prefetchBucket * bytesPer(sharding.compute));
    }
    return sharding.version === 1 && (sharding.frozenLayers || this.startsAtLeaf) ? 0 : whole;
  }

  /**
   * FSDP1 frees frozen layers with a hook on their inputs, and holds its handle until backward ends: with reentrant
   * checkpointing these inputs are leaves, which stay alive with their gradients (torch 2.4,
   * distributed/fsdp/_runtime_utils.py, _register_post_backward_reshard_only_hook; autograd/graph.py,
   * register_multi_grad_hook keeps AccumulateGrad nodes).
   */
  private meet(x: Tensor): void {
    const { sharding, tape } = this;
    this.startsAtLeaf = tape.graph !== null && Boolean(x.node?.leaf);
    this.keepsLeaf =
      this.startsAtLeaf && sharding.kind === 'fsdp' && sharding.version === 1 && sharding.frozenLayers;
    if (this.keepsLeaf) this.kept.keep(x.storage);
  }

  /** Combines gradients into one flat tensor, of which this rank keeps its part of the sum over all ranks. */
  private reduce(): void {
    this.inBackward = false;
    const { ledger } = this.tape;
    this.forgetReduction();
    const arrived = [...this.parts].filter(([parameter]) => parameter.grad !== null);
    const bytes = this.copiesOut()
      ? this.reducedBytes(arrived.map(([parameter]) => parameter))
      : this.flatBytes(arrived);
    const flat = bytes > 0 ? ledger.allocate(bytes, COMMUNICATION) : null;
    for (const [parameter] of arrived) {
      if (parameter.grad) ledger.release(parameter.grad);
      parameter.grad = null;
    }
    this.giveBack();
    if (flat === null) return;
    if (this.stays()) {
      ledger.release(flat);
      return;
    }
    const reduced = this.copiesOut() ? flat : this.inReduceDtype(flat, arrived);
    this.receiveAll(arrived.map(([, part]) => part));
    ledger.release(reduced);
  }

  private inReduceDtype(flat: Storage, arrived: readonly (readonly [Parameter, Parameter])[]): Storage {
    const { sharding, tape } = this;
    const wanted = sharding.kind === 'fsdp' ? sharding.reduce : null;
    const given = arrived[0]?.[0].dtype ?? wanted;
    if (wanted === null || given === wanted) return flat;
    const elements = this.flatBytes(arrived) / bytesPer(given ?? wanted);
    const cast = tape.ledger.allocate(elements * bytesPer(wanted), COMMUNICATION);
    tape.ledger.release(flat);
    return cast;
  }

  /** Bytes of the gradients of trained parameters, and of everything flattened with them. */
  private flatBytes(arrived: readonly (readonly [Parameter, Parameter])[]): number {
    if (this.flattens() && arrived.length > 0) return this.whole;
    return arrived.reduce((sum, [parameter]) => sum + wholeBytes(parameter), 0);
  }

  private flattens(): boolean {
    return this.sharding.kind === 'fsdp' && this.sharding.flattensFrozen;
  }

  /** Gradients of an earlier micro-batch that ranks have not reduced yet. */
  makeGradients(): void {
    const { sharding } = this;
    // Reduced gradients are moved to the host (torch, _fsdp_collectives.py, foreach_reduce: offload_to_cpu).
    if (sharding.kind === 'fsdp' && sharding.offload) return;
    const { ledger } = this.tape;
    for (const [index, parameter] of [...this.parts.keys()].entries()) {
      const bytes = this.flattens() ? (index === 0 ? this.whole : 0) : wholeBytes(parameter);
      parameter.grad = ledger.place(bytes, GRADIENTS, this.copies);
    }
  }

  /** A flat gradient is counted with the first trained parameter. */
  private receiveAll(parts: readonly Parameter[]): void {
    const flat = this.whole / this.sharding.ranks;
    for (const [index, part] of parts.entries()) {
      const own = part.elements * bytesPer(part.dtype);
      this.receive(part, this.flattens() ? (index === 0 ? flat : 0) : own);
    }
  }

  private receive(part: Parameter, bytes: number): void {
    const { ledger } = this.tape;
    const { sharding } = this;
    const sum = ledger.allocateIn(REDUCE, bytes, GRADIENTS);
    if (sharding.kind === 'fsdp' && sharding.offload) ledger.release(sum);
    else if (part.grad) ledger.release(sum);
    else part.grad = sum;
  }
}

const wholeBytes = ({ elements, dtype }: Parameter): number => elements * bytesPer(dtype);
