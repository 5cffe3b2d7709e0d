// Waiting for what a person would wait for, and reading what a person would read.

const POLL_MS = 50;

/** For a step that `until` repeats: it gives up early, so that there is a next time. */
export const SOON = { timeout: 3000 };

/** Monaco draws spaces as U+00A0 and puts marks of no width between words. */
export const plain = text => text.replace(/[\s\u00a0\u200b\u200c]+/g, ' ').trim();

/** Text of one element. */
export const textOf = async locator => plain(await locator.innerText());

/** Texts of all elements, without empty ones. */
export const textsOf = async locator =>
  (await locator.allInnerTexts()).map(plain).filter(text => text !== '');

/**
 * `until(what, probe)` asks again until the answer is truthy and returns it; after `timeout` ms it fails with the
 * name of what it waited for. A probe that throws has not answered yet.
 */
export const untilWithin = timeout => async (what, probe) => {
  const end = Date.now() + timeout;
  for (let reason = ''; ;) {
    try {
      const answer = await probe();
      if (answer) return answer;
    } catch (error) {
      reason = ` (${error.message.split('\n')[0]})`;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${timeout / 1000} s${reason}`);
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
};

/** A pattern for text that must be there word for word. */
export const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
