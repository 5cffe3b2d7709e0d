import { WINDOWS } from '../src/panel/page/charted';
import type { Prediction } from '../src/core/analyse/prediction';
import { SORTS } from '../src/panel/page/viewState';
import type { Sort, ViewState } from '../src/panel/page/viewState';
import { dropdown, textField } from './controls';
import { el, setText, show } from './dom';
import { predicted } from './format';
import { t } from './texts';

const SORT_NAMES: Readonly<Record<Sort, string>> = {
  index: t('By number'),
  memory: t('By memory'),
  utilisation: t('By utilization'),
  temperature: t('By temperature'),
  power: t('By power'),
  name: t('By name'),
};

/** Filter, sort order and time window; shows the prediction. */
export class Toolbar {
  readonly element: HTMLElement;
  private readonly filter;
  private readonly sort;
  private readonly window;
  private readonly count = el('span', 'count');
  private readonly predicted = el('p', 'predicted');

  constructor(changed: (view: Partial<ViewState>) => void) {
    this.filter = textField(t('Filter GPUs by host, name, user or process'), t('Filter'), filter =>
      changed({ filter }),
    );
    const sorts = SORTS.map(value => ({ value, text: SORT_NAMES[value] }));
    this.sort = dropdown(t('Sort GPUs'), sorts, value =>
      changed({ sort: SORTS.find(one => one === value) ?? 'index' }),
    );
    const windows = WINDOWS.map(({ ms, name }) => ({ value: String(ms), text: t('Last {0}', name) }));
    this.window = dropdown(t('Time range of charts'), windows, value => changed({ windowMs: Number(value) }));
    const controls = el('div', 'controls', this.filter, this.sort, this.window, this.count);
    controls.setAttribute('role', 'toolbar');
    controls.setAttribute('aria-label', t('GPUs to show'));
    this.element = el('header', 'toolbar', controls, this.predicted);
  }

  /** Shows the current view; leaves a field alone while the user types in it. */
  update({ filter, sort, windowMs }: ViewState, prediction: Prediction | null): void {
    if (this.filter.value !== filter && document.activeElement !== this.filter) this.filter.value = filter;
    if (this.sort.value !== sort) this.sort.value = sort;
    if (this.window.value !== String(windowMs)) this.window.value = String(windowMs);
    setText(this.predicted, prediction === null ? '' : predicted(prediction));
    show(this.predicted, prediction !== null);
  }

  /** The number of devices shown out of all; empty if there are none. */
  counted(shown: number, total: number): void {
    setText(
      this.count,
      shown === total ? (total > 1 ? t('{0} GPUs', total) : '') : t('{0} of {1} GPUs', shown, total),
    );
  }

  focusFilter(): void {
    this.filter.focus();
  }
}
