import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickPickItem } from 'vscode';
import type { ComparedPlace } from '../core/compare/fit';
import type { PlaceKind } from '../core/compare/place';
import { answerText, placeTexts } from '../core/render/compare';
import type { JobPlace } from '../jobs/job';
import { placeOfCompared } from './place';
import type { RunOfConfig } from './ports';

/** A place that was chosen, and what becomes of the run there. */
export interface ChosenPlace {
  readonly place: JobPlace;
  readonly row: ComparedPlace | null;
}

interface PlaceItem extends QuickPickItem {
  readonly chosen?: ChosenPlace;
}

const ICONS: Readonly<Record<Exclude<PlaceKind, 'catalog'>, string>> = {
  local: 'vm',
  ssh: 'remote',
  slurm: 'server',
  ray: 'server',
};

/** Asks where a run is to go: this machine, hosts and clusters with what becomes of it there. Null: the user left. */
export async function choosePlace(
  title: string,
  run: RunOfConfig,
  places: (asked: boolean) => Promise<readonly ComparedPlace[]>,
): Promise<ChosenPlace | null> {
  const list = window.createQuickPick<PlaceItem>();
  list.title = title;
  list.placeholder = l10n.t('Where is it to run?');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.keepScrollPosition = true;
  list.busy = true;
  let isOpen = true;
  const fill = (rows: readonly ComparedPlace[]): void => {
    if (isOpen) list.items = itemsOf(rows, run);
  };
  const filled = places(false)
    .then(fill)
    .then(() => places(true))
    .then(fill)
    .catch(() => undefined)
    .finally(() => {
      if (isOpen) list.busy = false;
    });
  fill([]);
  try {
    return await new Promise<ChosenPlace | null>(resolve => {
      list.onDidAccept(() => {
        const chosen = list.selectedItems[0]?.chosen;
        if (chosen) resolve(chosen);
      });
      list.onDidHide(() => resolve(null));
      list.show();
    });
  } finally {
    isOpen = false;
    list.dispose();
    void filled;
  }
}

/** This machine is always among them: a run may need no GPU, or one that no tool tells of. */
function itemsOf(rows: readonly ComparedPlace[], run: RunOfConfig): PlaceItem[] {
  const known = rows.flatMap(row => {
    const place = placeOfCompared(row.place.kind, row.place.id);
    return place === null ? [] : [itemOf(row, place, run)];
  });
  const hasHere = known.some(({ chosen }) => chosen?.place.engine === 'local');
  const bare: PlaceItem = {
    label: l10n.t('This machine'),
    description: l10n.t('no GPU found'),
    iconPath: new ThemeIcon(ICONS.local),
    chosen: { place: { engine: 'local' }, row: null },
  };
  const here = hasHere ? known.filter(isHere) : [bare];
  const others = known.filter(item => !isHere(item));
  const head: PlaceItem = { label: l10n.t('hosts and clusters'), kind: QuickPickItemKind.Separator };
  return [...here, ...(others.length > 0 ? [head, ...others] : [])];
}

const isHere = ({ chosen }: PlaceItem): boolean => chosen?.place.engine === 'local';

function itemOf(row: ComparedPlace, place: JobPlace, { file }: RunOfConfig): PlaceItem {
  const { where, gpu, memory, headroom, note } = placeTexts(row, file);
  const { kind, free, gpus } = row.place;
  const counted = free === null ? memory : l10n.t('{0} of {1} GPUs free', free, gpus ?? '?');
  const icon = kind === 'catalog' ? 'vm' : ICONS[kind];
  return {
    label: kind === 'local' ? l10n.t('This machine') : where,
    description: [gpu, counted, answerText(row)].filter(Boolean).join(' · '),
    detail: [headroom, note].filter(Boolean).join(' · '),
    iconPath: new ThemeIcon(icon),
    chosen: { place, row },
  };
}
