import { l10n, ThemeIcon } from 'vscode';
import type { QuickPickItem } from 'vscode';
import { formatBytes } from '../core/units';
import type { JobLimits, JobPlace } from '../jobs/job';
import { limitsOf, minutesText } from '../jobs/limitsText';
import type { Limit } from '../jobs/limitsText';
import { placeName } from '../jobs/job';
import { cpusOf, memoryMiBOf, minutesOf } from './limits';
import { MIB } from '../core/units';
import { askText, pickOne } from '../host/messages';
import { say } from '../host/say';

type Amount = Exclude<Limit, 'requeue'>;

interface LimitItem extends QuickPickItem {
  /** Null: accept the limits. */
  readonly limit: Limit | null;
}

interface Words {
  readonly label: string;
  readonly prompt: string;
  readonly read: (text: string) => number | null;
  readonly show: (value: number) => string;
}

const AMOUNTS: Readonly<Record<Amount, Words>> = {
  timeMinutes: {
    label: l10n.t('Time'),
    prompt: l10n.t("Time limit: 90 min, 4 h, 1-12:00:00. Empty: the partition's default."),
    read: minutesOf,
    show: minutesText,
  },
  cpus: {
    label: l10n.t('CPUs'),
    prompt: l10n.t('Number of CPUs. Empty: the default.'),
    read: cpusOf,
    show: String,
  },
  memoryMiB: {
    label: l10n.t('Memory'),
    prompt: l10n.t('Host RAM (not GPU memory), such as 64 GB. Empty: the default.'),
    read: memoryMiBOf,
    show: mib => formatBytes(mib * MIB),
  },
};

/** The resources to request from a scheduler in addition to the GPUs, edited until the user accepts them. */
export async function chooseLimits(place: JobPlace, before: JobLimits): Promise<JobLimits> {
  let limits = before;
  for (;;) {
    const title = l10n.t('Resources on {0}', placeName(place, say));
    const item = await pickOne(itemsOf(place, limits), { title, matchOnDescription: true });
    const limit = item?.limit ?? null;
    if (limit === null) return limits;
    limits = await changed(limits, limit);
  }
}

function itemsOf(place: JobPlace, limits: JobLimits): readonly LimitItem[] {
  const rows = limitsOf(place).map((limit): LimitItem => {
    if (limit === 'requeue') {
      return {
        label: l10n.t('Requeue if the node fails or is preempted'),
        description: limits.requeue ? l10n.t('yes') : l10n.t('no'),
        limit,
      };
    }
    const value = limits[limit];
    const { label, show } = AMOUNTS[limit];
    return { label, description: value === null ? l10n.t('the default') : show(value), limit };
  });
  const done = { label: l10n.t('Continue'), iconPath: new ThemeIcon('check'), limit: null };
  return [...rows, done];
}

async function changed(limits: JobLimits, limit: Limit): Promise<JobLimits> {
  if (limit === 'requeue') return { ...limits, requeue: !limits.requeue };
  const { label, prompt, read, show } = AMOUNTS[limit];
  const value = limits[limit];
  const entered = await askText({
    title: label,
    prompt,
    value: value === null ? '' : show(value),
    validateInput: text =>
      text.trim() === '' || read(text) !== null ? null : l10n.t("This isn't a valid amount."),
  });
  if (entered === undefined) return limits;
  return { ...limits, [limit]: entered.trim() === '' ? null : read(entered) };
}
