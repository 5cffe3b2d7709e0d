import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickInputButton, QuickPickItem } from 'vscode';
import type { Answer, ComparedPlace } from '../../core/plan/places/fit';
import type { PlaceKind } from '../../core/compare/place';
import type { PlaceTexts } from '../../core/render/compare';
import type { Disposable } from '../../host/disposables';
import { refill } from '../../host/quickPick';

interface PlaceItem extends QuickPickItem {
  readonly row?: ComparedPlace;
}

/** What was done with the list: a place chosen, planned for, or all of them wanted as a page. Null: it was left. */
export type PickedPlace =
  { readonly kind: 'target' | 'optimize'; readonly row: ComparedPlace } | { readonly kind: 'page' } | null;

/** The answer must not depend on colours. */
const ICONS: Readonly<Record<Answer, string>> = {
  fits: 'pass',
  tight: 'warning',
  'with-fix': 'wrench',
  exceeds: 'error',
  'too-few': 'error',
  unknown: 'question',
};

const HEADINGS: Readonly<Record<PlaceKind, string>> = {
  local: l10n.t('This machine'),
  ssh: l10n.t('Hosts'),
  slurm: l10n.t('Slurm'),
  ray: l10n.t('Ray'),
  catalog: l10n.t('Catalog'),
};

const asPage: QuickInputButton = {
  iconPath: new ThemeIcon('open-preview'),
  tooltip: l10n.t('Show as a table'),
};

const optimizeFor: QuickInputButton = {
  iconPath: new ThemeIcon('dashboard'),
  tooltip: l10n.t('Choose and optimize'),
};

/** Places in a list that is shown at once and filled as answers come. */
export class PlaceList implements Disposable {
  private readonly pick = window.createQuickPick<PlaceItem>();
  private readonly outcome: Promise<PickedPlace>;

  constructor(
    title: string,
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
      pick.onDidTriggerButton(() => resolve({ kind: 'page' }));
      pick.onDidHide(() => resolve(null));
    });
    pick.show();
  }

  picked(): Promise<PickedPlace> {
    return this.outcome;
  }

  show(rows: readonly ComparedPlace[], summary: string): void {
    const { pick } = this;
    refill(pick, this.items(rows), (one, other) => one.row?.place.id === other.row?.place.id);
    pick.busy = false;
    pick.buttons = [asPage];
    pick.placeholder = l10n.t('{0}. Choose a target GPU.', capitalised(summary));
  }

  dispose(): void {
    this.pick.dispose();
  }

  private items(rows: readonly ComparedPlace[]): PlaceItem[] {
    const kinds = [...new Set(rows.map(({ place }) => place.kind))];
    return kinds.flatMap(kind => [
      { label: HEADINGS[kind], kind: QuickPickItemKind.Separator },
      ...rows.filter(({ place }) => place.kind === kind).map(row => this.item(row)),
    ]);
  }

  private item(row: ComparedPlace): PlaceItem {
    const texts = this.textsOf(row);
    const batch = texts.batch === '' ? '' : l10n.t('batch {0}', texts.batch);
    const said = [texts.memory, texts.answer, texts.headroom, batch, texts.price];
    const isHere = row.place.kind === 'local' || row.place.kind === 'catalog';
    return {
      label: isHere ? texts.gpu : `${texts.where} · ${texts.gpu}`,
      description: said.filter(text => text !== '').join(' · '),
      ...(texts.note === '' ? {} : { detail: texts.note }),
      iconPath: new ThemeIcon(ICONS[row.answer]),
      buttons: [optimizeFor],
      row,
    };
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
