import type { JobPart } from '../src/panel/page/jobs';
import { el, order, setAttribute, setText, show } from './dom';
import { TONES } from './jobTones';

/** The number of rows that fit. */
const MOST_SEEN = 6;

/** The parts of a spread job: where each runs, and its progress. */
export class JobParts {
  readonly element = el('ul', 'job-parts');
  private readonly rows = new Map<string, PartRow>();

  update(parts: readonly JobPart[]): void {
    const names = new Set(parts.map(({ name }) => name));
    for (const name of [...this.rows.keys()]) if (!names.has(name)) this.rows.delete(name);
    order(
      this.element,
      parts.map(part => this.rowOf(part).element),
    );
    setAttribute(this.element, 'aria-label', `${parts.length} parts`);
    // A list that scrolls must be reachable by keyboard.
    if (parts.length > MOST_SEEN) this.element.tabIndex = 0;
    else this.element.removeAttribute('tabindex');
    show(this.element, parts.length > 0);
  }

  private rowOf(part: JobPart): PartRow {
    const row = this.rows.get(part.name) ?? new PartRow();
    this.rows.set(part.name, row);
    row.update(part);
    return row;
  }
}

class PartRow {
  private readonly name = el('span', 'name');
  private readonly state = el('span', 'state');
  private readonly done = el('div', 'progress-done');
  readonly element: HTMLElement;

  constructor() {
    const bar = el('div', 'progress-bar', this.done);
    bar.setAttribute('aria-hidden', 'true');
    this.element = el('li', '', this.name, bar, this.state);
  }

  update({ name, on, state, words, share }: JobPart): void {
    setText(this.name, `${name} ${on}`);
    setAttribute(this.name, 'title', `${name} ${on}`);
    setText(this.state, words);
    setAttribute(this.state, 'class', `state ${TONES[state]}`);
    this.done.style.width = share === null ? '0' : `${Math.round(share * 100)}%`;
  }
}
