import { linear, transposedLinear } from './ops/linear';
import { expertParts, packsExperts } from './quantization';
import { Extras } from './extras';
import { ADAPTERS, COMMUNICATION, GRADIENTS, INPUTS, Inventory, TEMPORARIES, WEIGHTS } from './terms';
import { Freezing } from './frozen/freezing';
import type { Storage } from './ledger';
import type {
  Linear,
  LinearShape,
  Pass,
  Projections,
  Repeated,
  Rounds,
  Step,
  WeightBuilder,
} from './modules';
import type { ParameterGroup } from './optimizer';
import { parameterOf, ringBytes, Shards } from './transforms/shards';
import type { MemoryRun } from './run';
import { gathers } from './sharding';
import type { Tape } from './tape';
import { bytesPer } from './tensor';
import type { Element, Parameter } from './tensor';
import type { TermIndex } from './terms';
import { fusedMlp, fusedProjections } from './transforms/fusedLora';
import { adapterOf, withLora } from './transforms/lora';
import { isDynamic } from './transforms/dynamicQuantize';
import { formatOf, isWidened, quantizedLinear } from './transforms/quantize';
import { stackedWeight } from './transforms/stackedExperts';
import { isTarget } from './transforms/targets';
import { MainGradients } from './transforms/mainGradients';
import { Zero } from './transforms/zero';
import type { Whole } from './transforms/shards';

/** Builds parameters on a tape, with the run's transforms. */
export class ModelBuilder implements WeightBuilder {
  readonly groups: { times: number; parameters: Parameter[] }[] = [{ times: 1, parameters: [] }];
  private copies = 1;
  private freezes = false;
  private readonly freezing: Freezing | null;
  private largest = 0;
  readonly inventory = new Inventory();
  readonly extras: Extras;

  private readonly shards: Shards | null;
  private readonly zero: Zero | null;
  private readonly main: MainGradients | null;

  constructor(
    private readonly tape: Tape,
    private readonly run: MemoryRun,
  ) {
    const { sharding } = run.ranks;
    this.extras = new Extras(tape, this);
    this.freezing = run.training.partly ? new Freezing(run.training.partly, run.model.layers) : null;
    this.shards = sharding && gathers(sharding) ? new Shards(tape, sharding) : null;
    this.zero = sharding?.kind === 'zero' ? new Zero(tape, sharding) : null;
    this.main = sharding?.kind === 'megatron' ? new MainGradients(tape, sharding) : null;
  }

  layer<Rest extends readonly unknown[]>(make: () => Pass<Rest>): Pass<Rest> {
    if (this.shards === null) return make();
    const { made, unit } = this.shards.unit(make);
    return (tape, x, ...rest) => unit.around(x, inner => made(tape, inner, ...rest));
  }

  /** Before the model runs: gathers parameters that belong to no layer. */
  begin(): void {
    this.shards?.gather();
  }

  beginBackward(): void {
    this.zero?.beginBackward();
  }

  /** After the model has run, and after its backward pass if there is one. */
  finish(): void {
    this.finishPass();
    this.zero?.finish(this.wholeTrainable().flatMap(({ parameters }) => parameters));
  }

  /** After a pass without a backward pass. */
  finishPass(): void {
    this.shards?.finish();
  }

  /** An optimizer step, with the surrounding work of its engine. */
  step(groups: readonly ParameterGroup[], body: (groups: readonly ParameterGroup[]) => void): void {
    if (this.zero) this.zero.step(groups, body);
    else body(groups);
  }

  linear(shape: LinearShape): Linear {
    const { run } = this;
    const format = formatOf(this.run, shape);
    const plain = format === null ? this.plain(shape) : null;
    const base = plain?.run ?? quantizedLinear(this, run, format ?? 'nf4', shape);
    const { lora: plan } = run.training;
    // Frozen parts get no adapters.
    if (plan === null || this.freezes || !isTarget(plan.targets, shape.name)) return base;
    if (plan.method) {
      const { model, batch } = run;
      const weight = plain?.weight ?? null;
      return plan.method.linear({
        builder: this,
        plan,
        shape,
        base,
        weight,
        heads: model.heads,
        rows: batch.rows,
      });
    }
    const asIs = format !== null && !isDynamic(format) && run.behavior.adaptersTakeInputAsIs;
    return withLora(plan, adapterOf(this, plan, shape), base, asIs);
  }

  projections<const Shapes extends readonly LinearShape[]>(shapes: Shapes): Projections<Shapes> {
    const { lora } = this.run.training;
    const { behavior } = this.run;
    const { loraInputs, loraOutput } = behavior.kernels;
    const kernel = shapes.length > 1 ? loraInputs : loraOutput;
    const fused = kernel && lora !== null && shapes.every(shape => isTarget(lora.targets, shape.name));
    const layers = fused
      ? fusedProjections(this, this.run, lora, shapes)
      : shapes.map(shape => this.linear(shape));
    // `layers` has one entry per shape.
    return layers as Projections<Shapes>;
  }

  gatedMlp(shapes: readonly [gate: LinearShape, up: LinearShape, down: LinearShape]): Step | null {
    const { lora } = this.run.training;
    const { behavior } = this.run;
    const fused =
      behavior.kernels.loraMlp && lora !== null && shapes.every(shape => isTarget(lora.targets, shape.name));
    return fused ? fusedMlp(this, this.run, lora, shapes) : null;
  }

  dtypeOf(shape: LinearShape): Element {
    const { upcast, weightDtype } = this.run.numbers;
    return isWidened(this.run, shape) || upcast === 'all' ? 'fp32' : weightDtype;
  }

  /** PEFT keeps the original next to a norm that it trains. */
  vector(size: number): Parameter {
    const weight = this.weight([size]);
    if (!this.run.training.lora?.method?.trainsNorms) return weight;
    return this.parameter([size], weight.dtype, true, ADAPTERS);
  }

  kernel(shape: readonly number[]): Parameter {
    return this.weight(shape);
  }

  /** PEFT keeps the original next to the trained copy (ModulesToSaveWrapper). */
  embedding(name: string, rows: number, width: number): Parameter {
    const shape = [rows, width];
    const weight = this.weight(shape, 'outer', name);
    const saved = this.run.training.lora?.modulesToSave.includes(name) === true;
    const table = saved ? this.parameter(shape, weight.dtype, true, WEIGHTS) : weight;
    table.table = true;
    return table;
  }

  stacked(shape: readonly number[]): Parameter {
    const { quantization } = this.run.numbers;
    const { task } = this.run;
    const [count = 1, outputs = 1, inputs = 1] = shape;
    if (task === 'train' || shape.length < 3 || quantization === null || !packsExperts(quantization)) {
      return this.weight(shape, 'linear', shape.length < 3 ? 'gate' : 'experts');
    }
    // The experts of these checkpoints are separate linear layers.
    const parts = expertParts(quantization, outputs, inputs, this.run);
    const bytes = count * parts.reduce((sum, part) => sum + part, 0);
    this.record(WEIGHTS, quantization, count * outputs * inputs, bytes);
    const storage = this.tape.ledger.place(bytes, WEIGHTS, this.copies);
    const elements = count * outputs * inputs;
    return this.added(
      { shape, elements, dtype: this.run.numbers.weightDtype, trainable: false, term: WEIGHTS },
      storage,
    );
  }

  readonly experts: WeightBuilder['experts'] = (matrix, shape) =>
    stackedWeight(this, this.run, matrix, shape);

  repeat<Part>(times: number, make: () => Part): readonly Repeated<Part>[] {
    const first = { part: make(), times: 1 };
    if (times < 2) return [first];
    const { journal } = this.tape.ledger;
    this.open(times - 1);
    journal?.began(times - 1);
    const others = { part: make(), times: times - 1 };
    journal?.ended();
    this.open(1);
    return [first, others];
  }

  /** Trainable parameters in the model's order as the optimizer sees them: as shards, if they are sharded. */
  trainable(): readonly ParameterGroup[] {
    const whole = this.wholeTrainable();
    const parts = this.zero ?? this.main ?? this.shards;
    return parts ? parts.trained(whole) : whole;
  }

  private wholeTrainable(): readonly ParameterGroup[] {
    return this.groups.map(({ times, parameters }) => ({
      times,
      parameters: parameters.filter(({ trainable }) => trainable),
    }));
  }

  /** Gradients that an earlier micro-batch has left. */
  makeGradients(): void {
    this.shards?.makeGradients();
    this.eachGroup(({ times, parameters }) => {
      for (const parameter of this.shards?.uncut(parameters) ?? parameters) {
        const bytes = parameter.elements * bytesPer(parameter.dtype);
        parameter.grad = this.tape.ledger.place(bytes, GRADIENTS, times);
      }
    });
  }

  /** `zero_grad(set_to_none=True)` */
  dropGradients(): void {
    // Megatron fills its buffers with zeros instead.
    if (this.main) return;
    if (this.zero) {
      this.zero.dropPartition();
      return;
    }
    for (const { parameters } of this.trainable()) {
      for (const parameter of parameters) {
        if (parameter.grad) this.tape.ledger.release(parameter.grad);
        parameter.grad = null;
      }
    }
  }

  /** Additional memory of a rank for assembling a checkpoint. */
  gatheredForSaving(): number {
    return this.shards?.gatheredForSaving() ?? 0;
  }

  /** Separate communication memory of the ranks. */
  connect(): void {
    const { replicas, sharding, context: contextRanks } = this.run.ranks;
    if (replicas > 1 && sharding === null) this.reserveBuckets();
    if (contextRanks > 1) this.tape.ledger.place(ringBytes(this.run), COMMUNICATION, 1);
  }

  /**
   * DistributedDataParallel's buckets: a second copy of the gradients (`gradient_as_bucket_view` is off by
   * default).
   */
  private reserveBuckets(): void {
    this.eachGroup(({ times, parameters }) => {
      const bytes = parameters.reduce((sum, { storage }) => sum + storage.bytes, 0);
      this.tape.ledger.place(bytes, COMMUNICATION, times);
    });
  }

  private eachGroup(visit: (group: ParameterGroup) => void): void {
    const { journal } = this.tape.ledger;
    for (const group of this.wholeTrainable()) {
      journal?.began(group.times);
      visit(group);
      journal?.ended();
    }
  }

  private open(copies: number): void {
    this.copies = copies;
    this.groups.push({ times: copies, parameters: [] });
  }

  rounds<Part>({ from, times, width }: Rounds, make: (again: boolean) => Part): readonly Repeated<Part>[] {
    const { freezing } = this;
    if (freezing === null) return this.repeat(times, () => make(true));
    return freezing.equalLayers(from, times, width).flatMap(({ first, times: each }) => {
      const again = !freezing.partly.checkpointsTrained || freezing.trainsIn(first);
      return this.repeat(each, () => freezing.at(first, () => make(again)));
    });
  }

  frozen<Part>(make: () => Part): Part {
    const outer = this.freezes;
    this.freezes = true;
    const made = make();
    this.freezes = outer;
    return made;
  }

  buffer(bytes: number): void {
    this.reserve(bytes, INPUTS);
  }

  /** A base weight: frozen under adapters, upcast if k-bit preparation does so. */
  weight(
    shape: readonly number[],
    place: 'outer' | 'linear' | 'wide' = 'linear',
    name: string | null = null,
  ): Parameter {
    const { weightDtype, upcast } = this.run.numbers;
    const { partly } = this.run.training;
    const vector = shape.length === 1;
    const widened =
      place === 'wide' ||
      upcast === 'all' ||
      (upcast === 'norms' && vector) ||
      (upcast === 'outer' && (vector || place === 'outer'));
    const trained = this.trains(name);
    const held = (trained ? partly?.dtype : null) ?? weightDtype;
    return this.parameter(shape, widened ? 'fp32' : held, trained, WEIGHTS);
  }

  private trains(name: string | null): boolean {
    const { lora, frozen } = this.run.training;
    return lora === null && !frozen && !this.freezes && this.freezing?.takes(name) !== false;
  }

  adapter(shape: readonly number[], dtype: Element): Parameter {
    return this.parameter(shape, dtype, true, ADAPTERS);
  }

  /** Permanent device memory, for each of the equal parts being built. */
  reserve(bytes: number, term: TermIndex): void {
    this.tape.ledger.place(bytes, term, this.copies);
  }

  /** Temporary memory during loading. */
  pass(bytes: number): void {
    const { ledger } = this.tape;
    ledger.release(ledger.allocate(bytes, TEMPORARIES));
  }

  /** Memory of a quantized weight, sharded if parameters are; returns the bytes of this rank. */
  reserveWeight(bytes: number): number {
    if (this.shards) return this.shards.reserve(bytes, WEIGHTS, this.copies);
    this.reserve(bytes, WEIGHTS);
    return bytes;
  }

  /** Device memory that layers share: the maximum over the layers. */
  reserveLargest(bytes: number, term: TermIndex): void {
    if (bytes <= this.largest) return;
    this.tape.ledger.place(bytes - this.largest, term, 1);
    this.largest = bytes;
  }

  /** Records what these bytes hold. */
  record(term: TermIndex, held: string, count: number, bytes: number): void {
    this.inventory.add({ term, held, count: count * this.copies, bytes: bytes * this.copies });
  }

  private plain(shape: LinearShape): { readonly weight: Parameter; readonly run: Linear } {
    const { name } = shape;
    const place = isWidened(this.run, shape) ? 'wide' : 'linear';
    const weight = this.weight([shape.outputs, shape.inputs], place, name);
    const bias = shape.bias ? this.weight([shape.outputs], 'linear', name) : null;
    const product = shape.derived ? transposedLinear : linear;
    return { weight, run: (tape, x) => product(tape, x, weight, bias) };
  }

  private parameter(
    shape: readonly number[],
    dtype: Element,
    trainable: boolean,
    term: TermIndex,
  ): Parameter {
    let elements = 1;
    for (const size of shape) elements *= size;
    const whole = { shape, elements, dtype, trainable, term };
    if (this.shards?.cuts(whole)) return this.inParts(this.shards, whole);
    const bytes = elements * bytesPer(dtype);
    const storage = this.tape.ledger.place(bytes, term, this.copies);
    this.record(term, dtype, elements, bytes);
    const parameter = this.added(whole, storage);
    if (trainable) this.shards?.sumGradients(parameter);
    return parameter;
  }

  private inParts(shards: Shards, whole: Whole): Parameter {
    const { storage, dtype, part } = shards.hold(whole, this.copies);
    this.record(whole.term, part.dtype, part.elements, part.storage.bytes);
    const parameter = this.added({ ...whole, dtype }, storage);
    if (whole.trainable && this.zero === null) shards.train(parameter, part);
    return parameter;
  }

  private added(whole: Whole, storage: Storage): Parameter {
    const parameter = parameterOf(whole, storage, this.copies);
    this.groups.at(-1)?.parameters.push(parameter);
    if (whole.trainable) (this.zero ?? this.main)?.train(parameter);
    return parameter;
  }
}
