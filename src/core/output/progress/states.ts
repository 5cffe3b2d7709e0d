import type { LineFields } from './fields';
import type { ProgressState, StatedMemory } from './progress';

/** Number of states to keep, the newest: a chart shows fewer points, and older ones have been shown. */
const KEPT = 5_000;

type Mutable = { -readonly [Field in keyof ProgressState]: ProgressState[Field] };

interface Open {
  state: Mutable;
  /** Fields that a more reliable line may still replace. */
  weak: Set<string>;
  isBar: boolean;
}

/** Collects states from lines: all fields of one step form one state, whichever lines they are in. */
export class States {
  private readonly closed: ProgressState[] = [];
  private open: Open | null = null;
  /** The epoch of the last heading: `Epoch 2/5`. */
  private epoch: number | null = null;
  private fresh = false;

  all(): readonly ProgressState[] {
    return this.open ? [...this.closed, this.open.state] : this.closed;
  }

  /** A heading names the epoch of the following lines; earlier lines belong to the previous epoch. */
  heading(epoch: number): void {
    this.epoch = epoch;
    const state = this.open?.state;
    if (state?.step !== undefined && state.epoch === undefined && epoch > 0) state.epoch = epoch - 1;
    this.fresh = true;
  }

  add(line: LineFields): void {
    if (this.open && this.epoch !== null && !this.fresh && isEvaluation(this.open.state, line.state)) return;
    if (this.open && !this.fresh && this.continues(this.open, line)) this.merge(this.open, line);
    else this.begin(line);
  }

  private continues({ state, weak }: Open, line: LineFields): boolean {
    const { step, epoch, loss } = line.state;
    if (step !== undefined && state.step !== undefined && step !== state.step) return false;
    const otherEpoch = epoch !== undefined && state.epoch !== undefined && epoch !== state.epoch;
    if (otherEpoch && (step !== undefined || loss !== undefined)) return false;
    const otherLoss = loss !== undefined && state.loss !== undefined && loss !== state.loss;
    return step !== undefined || !otherLoss || line.weak.has('loss') || weak.has('loss');
  }

  private begin(line: LineFields): void {
    const { open } = this;
    this.fresh = false;
    const [last] = this.closed.slice(-1);
    // A bar of an evaluation stood between the lines of one step.
    if (open?.isBar === true && open.state.loss === undefined && last && isSameStep(last, line.state)) {
      this.closed.pop();
      this.open = { state: last, weak: new Set(), isBar: false };
      this.merge(this.open, line);
      return;
    }
    // A redrawn bar replaces the previous one, unless that one had a loss.
    if (open && !(open.isBar && line.isBar && open.state.loss === undefined)) this.closed.push(open.state);
    if (this.closed.length >= 2 * KEPT) this.closed.splice(0, KEPT);
    const isOfEpoch = line.state.step !== undefined || line.state.loss !== undefined;
    const epoch = isOfEpoch && this.epoch !== null ? { epoch: this.epoch } : {};
    this.open = { state: { ...epoch, ...line.state }, weak: new Set(line.weak), isBar: line.isBar ?? false };
  }

  private merge(open: Open, line: LineFields): void {
    const { memory, ...fields } = line.state;
    for (const [field, value] of Object.entries(fields)) {
      const key = field as Exclude<keyof ProgressState, 'memory'>;
      if (line.weak.has(field) && open.state[key] !== undefined && !open.weak.has(field)) continue;
      open.state[key] = value;
      if (line.weak.has(field)) open.weak.add(field);
      else open.weak.delete(field);
    }
    if (memory) open.state.memory = merged(open.state.memory ?? [], memory);
    open.isBar &&= line.isBar ?? false;
  }
}

/** Behind the last step of an epoch, other counts are those of an evaluation. */
const isEvaluation = (last: ProgressState, { step, totalSteps, epoch }: ProgressState): boolean =>
  step !== undefined &&
  epoch === undefined &&
  totalSteps !== undefined &&
  last.step === last.totalSteps &&
  last.totalSteps !== totalSteps;

const isSameStep = (one: ProgressState, { step, loss }: ProgressState): boolean =>
  step !== undefined && step === one.step && (loss === undefined || loss === one.loss);

/** The last amount of each kind; for several ranks, that of the last one. */
function merged(before: readonly StatedMemory[], latest: readonly StatedMemory[]): readonly StatedMemory[] {
  const names = new Set(latest.map(({ what }) => what));
  return [...before.filter(({ what }) => !names.has(what)), ...latest];
}
