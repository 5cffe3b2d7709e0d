import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { Memento, QuickPickItem } from 'vscode';
import type { Place } from '../core/compare/place';
import type { GpuFacts, Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import { refill, rows } from '../host/quickPick';
import { isTrusted } from '../host/trust';
import { keepTarget, recentTargets } from './keepTarget';
import { PLACE_ICONS } from '../host/placeIcons';
import type { EditorServices } from './services';
import type { Core } from './loading';
import { AUTOMATIC } from './targets';

export interface ChooseServices extends EditorServices {
  /** Earlier choices, from any window. */
  readonly memory: Memento;
}

interface TargetItem extends QuickPickItem {
  /** The value of `headroom.target.gpu` for this row; absent: the row is only information. */
  readonly value?: string;
}

/**
 * *Choose Target GPU*: a previous choice, a GPU of this machine, a common one, an amount of memory, any in the
 * catalog, or free text. Stored as a setting. False if the user cancels.
 */
export async function chooseTarget({ core, targets, memory }: ChooseServices): Promise<boolean> {
  const { hardware } = targets;
  const [loaded, present, catalog, known] = await Promise.all([
    core(),
    hardware.present(),
    hardware.catalog(),
    hardware.places(false),
  ]);
  const itemsOf = (places: readonly Place[]): readonly TargetItem[] =>
    onceEach([
      ...recentItems(loaded, catalog, recentTargets(memory)),
      ...(present.length > 0 ? presentItems(loaded, present) : []),
      ...placeItems(loaded, catalog, places, present.length),
      ...section(
        l10n.t('Common'),
        loaded.commonGpus(catalog).map(gpu => gpuItem(loaded, gpu)),
      ),
      ...(present.length > 0 ? [] : presentItems(loaded, present)),
      ...section(
        l10n.t('Memory'),
        loaded.commonGB.map(gb => ({ label: `${gb} GB`, value: `${gb} GB` })),
      ),
      ...catalogItems(loaded, catalog),
    ]);
  const later = hardware.places(true).then(itemsOf);
  const value = await pick(itemsOf(known), later, (typed, isListed) =>
    loaded.typedChoices(typed, catalog, isListed),
  );
  return value !== null && (await keepTarget(memory, value));
}

type TypedItems = (typed: string, isListed: boolean) => ReturnType<Core['typedChoices']>;

async function pick(
  atOnce: readonly TargetItem[],
  later: Promise<readonly TargetItem[]>,
  typedItems: TypedItems,
): Promise<string | null> {
  const list = window.createQuickPick<TargetItem>();
  list.title = l10n.t('Choose Target GPU');
  list.placeholder = l10n.t('GPU name or amount of memory: RTX 4090, 2x A100 80GB, 24 GB');
  list.matchOnDescription = true;
  list.keepScrollPosition = true;
  list.busy = true;
  let fixed = atOnce;
  let isOpen = true;
  const all = (): readonly TargetItem[] => withTyped(list.value, fixed, typedItems);
  list.items = rows(all());
  list.onDidChangeValue(() => {
    list.items = rows(all());
    const meant = meantItem(list.value, list.items, typedItems);
    if (meant) list.activeItems = [meant];
  });
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

/**
 * The rows of the list, then those for the typed text that are not listed yet. Existing rows keep their position:
 * VS Code identifies rows by index, and Enter during a change would take the wrong one.
 */
function withTyped(
  text: string,
  fixed: readonly TargetItem[],
  typedItems: TypedItems,
): readonly TargetItem[] {
  const query = text.trim().toLowerCase();
  const listed = fixed.filter(
    ({ label, description, kind }) =>
      kind !== QuickPickItemKind.Separator && `${label} ${description ?? ''}`.toLowerCase().includes(query),
  );
  const values = new Set(listed.map(({ value }) => value));
  const typed = typedItems(text, listed.length > 0)
    .filter(({ value }) => value === null || !values.has(value))
    .map(({ label, says, value }): TargetItem => ({
      label,
      description: says,
      alwaysShow: true,
      ...(value === null ? { iconPath: new ThemeIcon('info') } : { value }),
    }));
  return [...fixed, ...typed];
}

/** The row that Enter takes: the one that matches the typed text exactly. */
function meantItem(
  text: string,
  items: readonly TargetItem[],
  typedItems: TypedItems,
): TargetItem | undefined {
  const [meant, ...others] = typedItems(text, true);
  return meant?.value && others.length === 0 ? items.find(({ value }) => value === meant.value) : undefined;
}

/** Keeps the first row of each GPU and removes headings without rows. */
function onceEach(items: readonly TargetItem[]): readonly TargetItem[] {
  const seen = new Set<string>();
  const kept = items.filter(({ value }) => {
    if (value === undefined) return true;
    return !seen.has(value) && seen.add(value);
  });
  return kept.filter(({ value }, i) => value !== undefined || kept[i + 1]?.value !== undefined);
}

const separator = (label: string): TargetItem => ({ label, kind: QuickPickItemKind.Separator });

const section = (heading: string, items: readonly TargetItem[]): readonly TargetItem[] =>
  items.length === 0 ? [] : [separator(heading), ...items];

const gpuItem = ({ describeGpu }: Core, gpu: GpuFacts): TargetItem => ({
  label: gpu.label,
  description: describeGpu(gpu),
  value: gpu.label,
});

function recentItems(
  { choiceOf, typedChoices }: Core,
  catalog: GpuSource,
  recent: readonly string[],
): readonly TargetItem[] {
  const items = recent.flatMap(value => {
    const [meant] = typedChoices(choiceOf(value).gpu, catalog, false);
    return meant?.value ? [{ label: value, description: meant.says, value }] : [];
  });
  return section(l10n.t('Recent'), items);
}

function presentItems({ describeTarget }: Core, present: readonly Target[]): readonly TargetItem[] {
  const [first] = present;
  const label = l10n.t("This machine's GPU");
  const none = isTrusted() ? l10n.t('none found') : l10n.t('not detected in Restricted Mode');
  const description = first ? describeTarget(first) : none;
  return section(l10n.t('This machine'), [
    { label, description, iconPath: new ThemeIcon('vm'), value: AUTOMATIC },
  ]);
}

/** GPUs of hosts and clusters, as far as known; this machine is listed only if it has several kinds of GPUs. */
function placeItems(
  { describeTarget, choiceText }: Core,
  catalog: GpuSource,
  places: readonly Place[],
  here: number,
): readonly TargetItem[] {
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
        iconPath: new ThemeIcon(kind === 'catalog' ? 'server' : PLACE_ICONS[kind]),
        value: choiceText(place, catalog),
      };
    });
  return section(l10n.t('Hosts and clusters'), items);
}

/** By vendor, newest first (the catalog lists the oldest first); laptop GPUs come last. */
function catalogItems(core: Core, catalog: GpuSource): readonly TargetItem[] {
  const known = catalog.all().filter(gpu => gpu.memoryMiB !== null);
  const vendors = [...new Set(known.map(gpu => gpu.vendor))];
  const isLaptop = ({ label, form }: GpuFacts): number =>
    Number(/laptop|max-q/i.test(`${label} ${form ?? ''}`));
  return vendors.flatMap(vendor => {
    const gpus = known.filter(gpu => gpu.vendor === vendor).reverse();
    const items = gpus.sort((a, b) => isLaptop(a) - isLaptop(b)).map(gpu => gpuItem(core, gpu));
    return section(vendor, items);
  });
}
