import type { Locator, Page } from 'playwright-core';

const POLL_MS = 50;

/** For a step that `until` repeats: it gives up early, so that it can be retried. */
export const SOON = { timeout: 3000 };

/** A place that does not react and that no hover reaches: the empty middle of the status bar. */
const PARKING = [640, 786] as const;

/** Monaco draws spaces as U+00A0 and inserts zero-width marks between words. */
const plain = (text: string): string => text.replace(/(?:\s|\u00a0|\u200b|\u200c)+/g, ' ').trim();

/** Text of one element. */
export const textOf = async (locator: Locator): Promise<string> => plain(await locator.innerText());

/** Non-empty texts of all elements. */
export const textsOf = async (locator: Locator): Promise<string[]> =>
  (await locator.allInnerTexts()).map(plain).filter(text => text !== '');

/** A pattern that matches the text literally. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

type Falsy = false | null | undefined | '' | 0;

/** Asks until the answer is truthy, and returns it; on timeout, the error names what it waited for. */
type Until = <T>(what: string, probe: () => T | Promise<T>) => Promise<Exclude<T, Falsy>>;

const isThere = <T>(answer: T): answer is Exclude<T, Falsy> => Boolean(answer);

/** Fails after the given number of milliseconds. A probe that throws has not answered yet. */
export const untilWithin =
  (timeout: number): Until =>
  async (what, probe) => {
    const end = Date.now() + timeout;
    for (let reason = ''; ;) {
      try {
        const answer = await probe();
        if (isThere(answer)) return answer;
      } catch (error) {
        reason = ` (${String(error).split('\n')[0]})`;
      }
      if (Date.now() > end) throw new Error(`${what}: not within ${timeout / 1000} s${reason}`);
      await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
  };

/** Functions with which every part of the driver waits and reads. */
export class Steps {
  readonly until: Until;

  constructor(
    readonly page: Page,
    timeoutMs: number,
  ) {
    this.until = untilWithin(timeoutMs);
  }

  /**
   * A list, once one of its entries matches and it no longer changes: entries of what was shown before stay for a
   * moment, and others come one after the other.
   */
  protected settled(what: string, expected: RegExp, read: () => Promise<string[]>): Promise<string[]> {
    let before = '';
    return this.until(`${what} ${String(expected)}`, async () => {
      const all = await read();
      const isSettled = before === all.join('\n');
      before = all.join('\n');
      return isSettled && all.some(entry => expected.test(entry)) && all;
    });
  }

  /** Moves the mouse to a place where it touches nothing. */
  parkMouse(): Promise<void> {
    return this.page.mouse.move(...PARKING);
  }
}
