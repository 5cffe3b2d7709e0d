import type { Plan, PlanStep, ScaledRate } from '../plan/plan';
import { timeRatio } from '../plan/planTime';
import type { DeviceEstimate } from '../memory/estimate';
import { formatBytes, formatCapacity } from '../units';
import type { KeyEdit } from '../yaml/keyEdit';

/** A row of the table of steps: the run now, or after a step. */
interface StepRow {
  readonly name: string;
  /** Keys that the step changes. */
  readonly change: string;
  readonly device: DeviceEstimate;
  readonly memory: string;
  /** `76 %, tight`; empty: unknown. */
  readonly share: string;
  /** `1.3 ×`: time for the same samples, relative to now. */
  readonly time: string;
  /** `lr 0.001 → 0.002`; empty: unchanged, or no key has it. */
  readonly rate: string;
}

/** `2. backbone`; a plan's id has one word per step. */
export const stepName = (id: string, { kind }: PlanStep): string => `${id.split('+').length}. ${kind}`;

/** The run now and after each step; empty if the plans are not steps. */
export function stepRows(plans: readonly Plan[]): readonly StepRow[] {
  const before = plans[0]?.before;
  if (!before || plans.some(({ step }) => !step)) return [];
  const today = rowOf('today', '', before, 1, []);
  const rows = plans.flatMap(({ id, step, after, price, time }) =>
    step
      ? [
          rowOf(
            stepName(id, step),
            changeText(step.edits),
            after,
            time ? timeRatio(time) : price.time,
            step.rates,
          ),
        ]
      : [],
  );
  return [today, ...rows];
}

function rowOf(
  name: string,
  change: string,
  device: DeviceEstimate,
  time: number,
  rates: readonly ScaledRate[],
): StepRow {
  const { expected } = device.device;
  const share = device.capacityBytes === null ? null : expected / device.capacityBytes;
  return {
    name,
    change,
    device,
    memory: formatBytes(expected),
    share: share === null ? '' : `${Math.round(share * 100)} %${device.verdict === 'tight' ? ', tight' : ''}`,
    time: `${Number(time.toPrecision(2))} ×`,
    rate: rates.map(({ path, was, is }) => `${leaf(path)} ${number(was)} → ${number(is)}`).join(', '),
  };
}

/** The steps as table rows for a terminal and a page; empty without steps. */
export function stepTable(plans: readonly Plan[]): readonly (readonly string[])[] {
  const rows = stepRows(plans);
  if (rows.length === 0) return [];
  const capacity = rows[0]?.device.capacityBytes ?? null;
  const of = capacity === null ? 'of the GPU' : `of ${formatCapacity(capacity)}`;
  const head = ['step', 'change', 'memory', of, 'time per sample', 'learning rate'];
  const body = rows.map(({ name, change, memory, share, time, rate }) =>
    [name, change, memory, share, time, rate].map(text => text.replaceAll('|', '/')),
  );
  return [head, ...body];
}

/** Alignment of the table's columns. */
export const STEP_COLUMNS = { align: ['l', 'l', 'r', 'r', 'r', 'l'] };

const changeText = (edits: readonly KeyEdit[]): string =>
  edits
    .map(({ path, from, to }) => `${leaf(path)} ${from === null ? to : `${bare(from)} → ${bare(to)}`}`)
    .join(', ');

const leaf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Removes the quotes of the file. */
const bare = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2');

/** Three significant digits. */
const number = (value: number): string => String(Number(value.toPrecision(3)));
