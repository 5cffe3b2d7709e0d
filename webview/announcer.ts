import { el, setText } from './dom';
import { STATES } from './format';
import type { Turn } from './store';

/** On the way from one to the other of these nothing is worth a word. */
const PASSING: readonly string[] = ['idle', 'connecting'];

/** Hosts named at most; of more, their number. */
const MOST_NAMES = 3;

const REST_MS = 1000;

/** Tells those who cannot see the page that hosts changed their state; never readings, which change every second. */
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

  say(text: string): void {
    setText(this.element, text);
  }

  private speak(): void {
    this.timer = null;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    this.say(all.length > MOST_NAMES ? `${all.length} hosts changed state` : all.join('. '));
  }
}
