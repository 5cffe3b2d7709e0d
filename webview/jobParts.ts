import type { JobPart } from '../src/panel/page/jobs';
import { el, order, setAttribute, setText, show } from './dom';
import { TONES } from './jobTones';

/** So many rows have room. */
const MOST_SEEN = 6;

/** The parts of a job that was spread over other machines: where each is, and how far. */
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
    // What is longer than its room is moved by keys, too.
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
