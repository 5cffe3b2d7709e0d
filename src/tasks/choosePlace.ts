import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import { PLACE_ICONS } from '../host/placeIcons';
import type { QuickPickItem } from 'vscode';
import type { ComparedPlace } from '../core/plan/places/fit';
import { answerText, placeTexts } from '../core/render/compare';
import type { JobPlace } from '../jobs/job';
import { refill } from '../host/quickPick';
import { placeOfCompared, wordOfPlace } from './place';
import type { ClusterPart } from '../core/compare/machines';
import type { RunOfConfig } from './ports';
import { say } from '../host/say';

/** A chosen place, and how the run fares there. */
export interface ChosenPlace {
  readonly place: JobPlace;
  readonly row: ComparedPlace | null;
  /** The GPU type as the scheduler calls it; null: any, or its only type. */
  readonly type: string | null;
}

/** Where a run could go: compared places, and cluster parts whose GPUs are not known well enough to compare. */
interface Offered {
  readonly rows: readonly ComparedPlace[];
  readonly parts: readonly ClusterPart[];
  /** The work can be split among several hosts. */
  readonly mayBeSpread: boolean;
}

/** In parts on several machines, which are chosen next. */
export const SEVERAL = 'several';

interface PlaceItem extends QuickPickItem {
  readonly chosen?: ChosenPlace | typeof SEVERAL;
}

/**
 * Asks where a run should go: this machine, hosts and clusters, each with how the run fares there. Null: the user
 * canceled.
 */
export async function choosePlace(
  title: string,
  run: RunOfConfig,
  places: (requested: boolean) => Promise<Offered>,
): Promise<ChosenPlace | typeof SEVERAL | null> {
  const list = window.createQuickPick<PlaceItem>();
  list.title = title;
  list.placeholder = l10n.t('Where do you want to run it?');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.keepScrollPosition = true;
  list.busy = true;
  let isOpen = true;
  const fill = (offered: Offered): void => {
    if (isOpen) refill(list, itemsOf(offered, run), isSame);
  };
  const filled = places(false)
    .then(fill)
    .then(() => places(true))
    .then(fill)
    .catch(() => undefined)
    .finally(() => {
      if (isOpen) list.busy = false;
    });
  fill({ rows: [], parts: [], mayBeSpread: false });
  try {
    return await new Promise<ChosenPlace | typeof SEVERAL | null>(resolve => {
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

/** Always includes this machine: a run may need no GPU, or one that no tool reports. */
function itemsOf({ rows, parts, mayBeSpread }: Offered, run: RunOfConfig): PlaceItem[] {
  const places = rows.flatMap(row => {
    const place = placeOfCompared(row.place.kind, row.place.id);
    return place === null ? [] : [{ row, place, word: wordOfPlace(place) }];
  });
  const words = places.map(({ word }) => word);
  const known = places.map(({ row, place }) => {
    // The partition may have other types with an unknown amount of memory.
    const type = place.engine === 'slurm' ? typeIn(row) : null;
    return itemOf(row, { place, row, type }, run);
  });
  const hasHere = known.some(isHere);
  const bare: PlaceItem = {
    label: l10n.t('This machine'),
    description: l10n.t('no GPU found'),
    iconPath: new ThemeIcon(PLACE_ICONS.local),
    chosen: { place: { engine: 'local' }, row: null, type: null },
  };
  const here = hasHere ? known.filter(isHere) : [bare];
  const unknown = parts.flatMap(part => partItem(part, words));
  const others = [...(mayBeSpread ? [several()] : []), ...known.filter(item => !isHere(item)), ...unknown];
  const head: PlaceItem = { label: l10n.t('Hosts and clusters'), kind: QuickPickItemKind.Separator };
  return [...here, ...(others.length > 0 ? [head, ...others] : [])];
}

const several = (): PlaceItem => ({
  label: l10n.t('Split across several GPUs …'),
  description: l10n.t('on hosts or a cluster, then merged and verified here'),
  iconPath: new ThemeIcon('type-hierarchy-sub'),
  chosen: SEVERAL,
});

/** The last part of a cluster's place: `slurm:login/a100/h100`. */
function typeIn({ place: { id } }: ComparedPlace): string | null {
  const type = id.split('/')[2] ?? '';
  return type === '' ? null : type;
}

/** A cluster part that is not among the compared places. */
function partItem(
  { engine, host, partition, name, gpus, free, note }: ClusterPart,
  known: readonly string[],
): PlaceItem[] {
  const place = placeOfCompared(engine, `${host}/${partition ?? ''}`);
  if (place === null || known.includes(wordOfPlace(place))) return [];
  const counted =
    gpus === null
      ? null
      : free === null
        ? l10n.t('{0} GPUs', gpus)
        : l10n.t('{0} of {1} GPUs free', free, gpus);
  const unknown = gpus === null ? null : l10n.t('GPU type unknown');
  return [
    {
      label: name,
      description: [counted, unknown].filter(text => text !== null).join(' · '),
      ...(note !== null && { detail: note }),
      iconPath: new ThemeIcon(PLACE_ICONS[engine]),
      chosen: { place, row: null, type: null },
    },
  ];
}

/** The same choice, whatever is known of it by now. */
const isSame = (one: PlaceItem, other: PlaceItem): boolean => keyOf(one) === keyOf(other);

function keyOf({ chosen }: PlaceItem): string | null {
  if (chosen === undefined || chosen === SEVERAL) return chosen ?? null;
  return `${wordOfPlace(chosen.place)} ${chosen.row?.place.id ?? ''}`;
}

const isHere = ({ chosen }: PlaceItem): boolean =>
  chosen !== undefined && chosen !== SEVERAL && chosen.place.engine === 'local';

function itemOf(row: ComparedPlace, chosen: ChosenPlace, { file }: RunOfConfig): PlaceItem {
  const { where, gpu, memory, headroom, note } = placeTexts(row, file, say);
  const { kind } = row.place;
  const icon = kind === 'catalog' ? 'vm' : PLACE_ICONS[kind];
  return {
    label: kind === 'local' ? l10n.t('This machine') : where,
    description: [gpu, memory, answerText(row, say)].filter(Boolean).join(' · '),
    detail: [headroom, note].filter(Boolean).join(' · '),
    iconPath: new ThemeIcon(icon),
    chosen,
  };
}
