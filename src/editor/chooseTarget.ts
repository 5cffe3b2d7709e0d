import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickPickItem } from 'vscode';
import type { Place, PlaceKind } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/source';
import { refill } from '../host/quickPick';
import { isTrusted } from '../host/trust';
import { remember } from '../host/settings';
import type { Core } from './core';
import type { EditorServices } from './services';
import { AUTOMATIC } from './targets';

interface TargetItem extends QuickPickItem {
  /** What `headroom.target.gpu` is set to. */
  readonly value?: string;
}

/**
 * *Choose Target GPU*: the one that is here, one of the catalog, or whatever can be typed, an amount of memory too.
 * Remembered as a setting. False when the user leaves.
 */
export async function chooseTarget({ core, targets }: EditorServices): Promise<boolean> {
  const { hardware } = targets;
  const [loaded, present, catalog, known] = await Promise.all([
    core(),
    hardware.present(),
    hardware.catalog(),
    hardware.places(false),
  ]);
  const itemsOf = (places: readonly Place[]): readonly TargetItem[] => [
    ...presentItems(loaded, present),
    ...placeItems(loaded, catalog, places, present.length),
    ...catalogItems(loaded, catalog),
  ];
  const later = hardware.places(true).then(itemsOf);
  const value = await pick(itemsOf(known), later, typed => typedItems(loaded, catalog, typed));
  if (value !== null) await remember('target.gpu', value);
  return value !== null;
}

async function pick(
  atOnce: readonly TargetItem[],
  later: Promise<readonly TargetItem[]>,
  typedItems: (typed: string) => readonly TargetItem[],
): Promise<string | null> {
  const list = window.createQuickPick<TargetItem>();
  list.title = l10n.t('Choose Target GPU');
  list.placeholder = l10n.t('GPU name or amount of memory: RTX 4090, 2x A100 80GB, 24 GB');
  list.matchOnDescription = true;
  list.keepScrollPosition = true;
  list.busy = true;
  let fixed = atOnce;
  let isOpen = true;
  const all = (): readonly TargetItem[] => [...typedItems(list.value), ...fixed];
  const fill = (): void => {
    list.items = all();
  };
  fill();
  list.onDidChangeValue(fill);
  void later.then(items => {
    if (!isOpen) return;
    list.busy = false;
    if (items.length === fixed.length) return;
    fixed = items;
    refill(list, all(), (one, other) => one.value === other.value);
  });
  try {
    return await new Promise<string | null>(resolve => {
      list.onDidAccept(() => {
        const value = list.selectedItems[0]?.value;
        if (value !== undefined) resolve(value);
      });
      list.onDidHide(() => resolve(null));
      list.show();
    });
  } finally {
    isOpen = false;
    list.dispose();
  }
}

const separator = (label: string): TargetItem => ({ label, kind: QuickPickItemKind.Separator });

/** What the user typed, as soon as it says which GPU is meant. */
function typedItems({ parseTarget, describeTarget }: Core, catalog: GpuSource, typed: string): TargetItem[] {
  const reading = parseTarget(typed, catalog, { count: null, nodes: 1 });
  if (!reading.ok) return [];
  return [{ label: describeTarget(reading.target), value: typed.trim(), alwaysShow: true }];
}

function presentItems({ describeTarget }: Core, present: readonly Target[]): TargetItem[] {
  const [first] = present;
  const label = l10n.t("This machine's GPU");
  const none = isTrusted() ? l10n.t('none found') : l10n.t('not detected in Restricted Mode');
  const description = first ? describeTarget(first) : none;
  return [separator(l10n.t('here')), { label, description, iconPath: new ThemeIcon('vm'), value: AUTOMATIC }];
}

const PLACE_ICONS: Readonly<Partial<Record<PlaceKind, string>>> = {
  local: 'vm',
  ssh: 'remote',
  slurm: 'server',
  ray: 'server',
};

/** What hosts and clusters have, as far as they are known; this machine only where it has GPUs of several kinds. */
function placeItems(
  { describeTarget, choiceText }: Core,
  catalog: GpuSource,
  places: readonly Place[],
  here: number,
): TargetItem[] {
  const items = places
    .filter(({ kind }) => kind !== 'local' || here > 1)
    .map(place => {
      const { target, kind, where, free, gpus } = place;
      const freeMiB = target.usableMiB - target.busyMiB;
      const room =
        free !== null
          ? l10n.t('{0} of {1} free', free, gpus ?? '?')
          : l10n.t('{0} GB free', (freeMiB / 1024).toFixed(1));
      return {
        label: describeTarget({ ...target, count: gpus }),
        description: `${kind === 'local' ? l10n.t('this machine') : where} · ${room}`,
        iconPath: new ThemeIcon(PLACE_ICONS[kind] ?? 'server'),
        value: choiceText(place, catalog),
      };
    });
  return items.length === 0 ? [] : [separator(l10n.t('Hosts and clusters')), ...items];
}

/** By vendor, the newest first: the catalog begins with the oldest. */
function catalogItems({ describeGpu }: Core, catalog: GpuSource): TargetItem[] {
  const known = catalog.all().filter(gpu => gpu.memoryMiB !== null);
  const vendors = [...new Set(known.map(gpu => gpu.vendor))];
  return vendors.flatMap(vendor => {
    const gpus = known.filter(gpu => gpu.vendor === vendor).reverse();
    const items = gpus.map(gpu => ({ label: gpu.label, description: describeGpu(gpu), value: gpu.label }));
    return [separator(vendor), ...items];
  });
}
