import type { Locator, Page } from 'playwright-core';

const POLL_MS = 50;

/** For a step that `until` repeats: it gives up early, so that there is a next time. */
export const SOON = { timeout: 3000 };

/** Over nothing that reacts, and where no hover reaches: the empty middle of the status bar. */
const PARKING = [640, 786] as const;

/** Monaco draws spaces as U+00A0 and puts marks of no width between words. */
export const plain = (text: string): string => text.replace(/(?:\s|\u00a0|\u200b|\u200c)+/g, ' ').trim();

/** Text of one element. */
export const textOf = async (locator: Locator): Promise<string> => plain(await locator.innerText());

/** Texts of all elements, without empty ones. */
export const textsOf = async (locator: Locator): Promise<string[]> =>
  (await locator.allInnerTexts()).map(plain).filter(text => text !== '');

/** A pattern for text that must be there word for word. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

type Falsy = false | null | undefined | '' | 0;

/** Asks until the answer is truthy, and gives it; what it waited for is named when it does not come. */
export type Until = <T>(what: string, probe: () => T | Promise<T>) => Promise<Exclude<T, Falsy>>;

const isThere = <T>(answer: T): answer is Exclude<T, Falsy> => Boolean(answer);

/** Fails after so many milliseconds. A probe that throws has not answered yet. */
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

/** What every part of the driver waits and reads with. */
export class Steps {
  readonly until: Until;

  constructor(
    readonly page: Page,
    timeoutMs: number,
  ) {
    this.until = untilWithin(timeoutMs);
  }

  /** The mouse goes where it touches nothing. */
  parkMouse(): Promise<void> {
    return this.page.mouse.move(...PARKING);
  }
}
