import type { ScaledRate } from '../plan/learningRate';
import type { Plan, PlanStep } from '../plan/plan';
import { timeRatio } from '../plan/planTime';
import type { DeviceEstimate } from '../memory/estimate';
import { english, said, template } from '../text/say';
import type { Say, Template } from '../text/say';
import { formatBytes, formatCapacity, formatShare } from '../units';
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
export const stepName = (say: Say, id: string, { kind }: PlanStep): string =>
  `${id.split('+').length}. ${said(say, KINDS[kind])}`;

const KINDS: Readonly<Record<PlanStep['kind'], Template>> = {
  batch: template('batch'),
  capacity: template('capacity'),
  backbone: template('backbone'),
};

/** The run now and after each step; empty if the plans are not steps. */
export function stepRows(say: Say, plans: readonly Plan[]): readonly StepRow[] {
  const before = plans[0]?.before;
  if (!before || plans.some(({ step }) => !step)) return [];
  const today = rowOf(say, { name: say('today'), change: '' }, before, 1, []);
  const rows = plans.flatMap(({ id, step, after, price, time }) =>
    step
      ? [
          rowOf(
            say,
            { name: stepName(say, id, step), change: changeText(step.edits) },
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
  say: Say,
  named: Pick<StepRow, 'name' | 'change'>,
  device: DeviceEstimate,
  time: number,
  rates: readonly ScaledRate[],
): StepRow {
  const { expected } = device.device;
  const share = device.capacityBytes === null ? null : expected / device.capacityBytes;
  return {
    ...named,
    device,
    memory: formatBytes(expected),
    share: share === null ? '' : shareText(say, share, device.verdict === 'tight'),
    time: `${Number(time.toPrecision(2))} ×`,
    rate: rates.map(({ path, was, is }) => `${leaf(path)} ${number(was)} → ${number(is)}`).join(', '),
  };
}

const shareText = (say: Say, share: number, isTight: boolean): string =>
  isTight ? say('{0}, tight', formatShare(share)) : formatShare(share);

/** The steps as table rows for a terminal and a page; empty without steps. */
export function stepTable(plans: readonly Plan[], say: Say = english): readonly (readonly string[])[] {
  const rows = stepRows(say, plans);
  if (rows.length === 0) return [];
  const capacity = rows[0]?.device.capacityBytes ?? null;
  const of = capacity === null ? say('of the GPU') : say('of {0}', formatCapacity(capacity));
  const head = [say('step'), say('change'), say('memory'), of, say('time per sample'), say('learning rate')];
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
