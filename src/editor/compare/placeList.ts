import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickInputButton, QuickPickItem } from 'vscode';
import type { Answer, ComparedPlace } from '../../core/plan/places/fit';
import type { PlaceGroup, PlaceOrder } from '../../core/plan/places/order';
import type { PlaceTexts } from '../../core/render/compare';
import type { Disposable } from '../../host/disposables';
import { refill } from '../../host/quickPick';

interface PlaceItem extends QuickPickItem {
  readonly row?: ComparedPlace;
}

/** The user's choice: a place as the target, a place to plan for, or a page of what is shown. Null: canceled. */
type PickedPlace =
  | { readonly kind: 'target' | 'optimize'; readonly row: ComparedPlace }
  | { readonly kind: 'page'; readonly rows: readonly ComparedPlace[] }
  | null;

/** The verdict must not depend on colors. */
const ICONS: Readonly<Record<Answer, string>> = {
  fits: 'pass',
  tight: 'warning',
  'with-fix': 'wrench',
  exceeds: 'error',
  'too-few': 'error',
  unknown: 'question',
};

const HEADINGS: Readonly<Record<PlaceGroup['kind'], string>> = {
  local: l10n.t('This machine'),
  ssh: l10n.t('Hosts'),
  metrics: l10n.t('Metrics'),
  slurm: l10n.t('Slurm'),
  ray: l10n.t('Ray'),
  kubernetes: l10n.t('Kubernetes'),
  catalog: l10n.t('Catalog'),
  others: l10n.t('Others'),
};

/** The sort order of the catalog's part, in its heading and on the button that switches it. */
const ORDERS: Readonly<Record<PlaceOrder, { readonly heading: string; readonly sort: string }>> = {
  common: { heading: l10n.t('Common'), sort: l10n.t('Sort: common first') },
  fit: { heading: l10n.t('Best fit'), sort: l10n.t('Sort by fit') },
  price: { heading: l10n.t('Cheapest'), sort: l10n.t('Sort by price') },
  cost: { heading: l10n.t('Cheapest run'), sort: l10n.t('Sort by cost of the run') },
  time: { heading: l10n.t('Fastest'), sort: l10n.t('Sort by time') },
  memory: { heading: l10n.t('Least memory'), sort: l10n.t('Sort by memory') },
};

const asPage: QuickInputButton = {
  iconPath: new ThemeIcon('open-preview'),
  tooltip: l10n.t('Show as a table'),
};

const optimizeFor: QuickInputButton = {
  iconPath: new ThemeIcon('dashboard'),
  tooltip: l10n.t('Choose and optimize'),
};

/** The order that the button switches to. */
const NEXT: Readonly<Record<PlaceOrder, PlaceOrder>> = {
  common: 'price',
  price: 'cost',
  cost: 'time',
  time: 'memory',
  memory: 'fit',
  fit: 'common',
};

const sortBy = (order: PlaceOrder): QuickInputButton => ({
  iconPath: new ThemeIcon('sort-precedence'),
  tooltip: ORDERS[order].sort,
});

const showFitting: QuickInputButton = {
  iconPath: new ThemeIcon('filter'),
  tooltip: l10n.t('Show only what fits'),
};

const showAll: QuickInputButton = { iconPath: new ThemeIcon('filter-filled'), tooltip: l10n.t('Show all') };

type GroupPlaces = (
  rows: readonly ComparedPlace[],
  order: PlaceOrder,
  onlyFitting: boolean,
) => readonly PlaceGroup[];

/** Places in a list that opens at once and fills as results arrive. */
export class PlaceList implements Disposable {
  private readonly pick = window.createQuickPick<PlaceItem>();
  private readonly outcome: Promise<PickedPlace>;
  private rows: readonly ComparedPlace[] = [];
  /** Which types are left out, and why. */
  private left: string | null = null;
  private order: PlaceOrder = 'common';
  private onlyFitting = false;

  constructor(
    title: string,
    private readonly groups: GroupPlaces,
    private readonly textsOf: (row: ComparedPlace) => PlaceTexts,
  ) {
    const { pick } = this;
    Object.assign(pick, { title, busy: true, matchOnDescription: true, matchOnDetail: true });
    pick.keepScrollPosition = true;
    pick.placeholder = l10n.t('Checking where it fits …');
    this.outcome = new Promise<PickedPlace>(resolve => {
      pick.onDidAccept(() => {
        const row = pick.selectedItems[0]?.row;
        if (row) resolve({ kind: 'target', row });
      });
      pick.onDidTriggerItemButton(({ item: { row } }) => {
        if (row) resolve({ kind: 'optimize', row });
      });
      pick.onDidTriggerButton(button => {
        if (button === asPage) resolve({ kind: 'page', rows: this.shown().flatMap(({ rows }) => rows) });
        else this.arrange(button);
      });
      pick.onDidHide(() => resolve(null));
    });
    pick.show();
  }

  picked(): Promise<PickedPlace> {
    return this.outcome;
  }

  show(rows: readonly ComparedPlace[], summary: string, left: string | null): void {
    this.rows = rows;
    this.left = left;
    this.fill();
    this.pick.busy = false;
    this.pick.placeholder = l10n.t('{0}. Choose a target GPU.', capitalized(summary));
  }

  dispose(): void {
    this.pick.dispose();
  }

  /** Switches the order or the filter; then Enter takes the first row. */
  private arrange(button: QuickInputButton): void {
    if (button === showFitting || button === showAll) this.onlyFitting = !this.onlyFitting;
    else this.order = NEXT[this.order];
    this.pick.activeItems = [];
    this.fill();
  }

  private fill(): void {
    const { pick, order, onlyFitting } = this;
    refill(pick, this.items(), (one, other) => one.row?.place.id === other.row?.place.id);
    pick.buttons = [sortBy(NEXT[order]), onlyFitting ? showAll : showFitting, asPage];
  }

  private shown(): readonly PlaceGroup[] {
    return this.groups(this.rows, this.order, this.onlyFitting);
  }

  private items(): PlaceItem[] {
    const groups = this.shown();
    if (groups.length === 0) {
      return [{ label: l10n.t('Nothing fits. Show all to see fixes.'), alwaysShow: true }];
    }
    const items: PlaceItem[] = groups.flatMap(({ kind, rows }) => {
      const label = kind === 'catalog' ? ORDERS[this.order].heading : HEADINGS[kind];
      return [{ label, kind: QuickPickItemKind.Separator }, ...rows.map(row => this.item(row))];
    });
    return this.left === null ? items : [...items, { label: this.left, alwaysShow: true }];
  }

  private item(row: ComparedPlace): PlaceItem {
    const texts = this.textsOf(row);
    const batch = texts.batch === '' ? '' : l10n.t('batch {0}', texts.batch);
    // What the list is sorted by has to be in it.
    const key = this.order === 'time' ? texts.time : this.order === 'cost' ? texts.cost : '';
    const details = [texts.memory, texts.answer, key, texts.headroom, batch, texts.price];
    const isHere = row.place.kind === 'local' || row.place.kind === 'catalog';
    return {
      label: isHere ? texts.gpu : `${texts.where} · ${texts.gpu}`,
      description: details.filter(text => text !== '').join(' · '),
      ...(texts.note === '' ? {} : { detail: texts.note }),
      iconPath: new ThemeIcon(ICONS[row.answer]),
      buttons: [optimizeFor],
      row,
    };
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
