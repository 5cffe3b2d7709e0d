import { el, setText } from './dom';
import { STATES } from './format';
import type { Turn } from './store';

/** Transitions between these states are not announced. */
const PASSING: readonly string[] = ['idle', 'connecting'];

/** Hosts named at most; with more, only their number. */
const MOST_NAMES = 3;

const REST_MS = 1000;

/** Announces changes of a host's state to screen readers; never readings, which change every second. */
export class Announcer {
  readonly element = el('div', 'unseen');
  private readonly waiting = new Map<string, string>();
  private timer: number | null = null;

  constructor() {
    this.element.setAttribute('role', 'status');
  }

  hosts(turns: readonly Turn[]): void {
    for (const { host } of turns) {
      if (PASSING.includes(host.status.state)) continue;
      this.waiting.set(host.name, `${host.name}: ${STATES[host.status.state]}`);
    }
    if (this.waiting.size === 0) return;
    this.timer ??= window.setTimeout(() => this.speak(), REST_MS);
  }

  announce(text: string): void {
    setText(this.element, text);
  }

  private speak(): void {
    this.timer = null;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    this.announce(all.length > MOST_NAMES ? `${all.length} hosts changed state` : all.join('. '));
  }
}
