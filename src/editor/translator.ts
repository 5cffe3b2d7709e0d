import { sayIn } from '../core/text/say';
import type { Say, Translations } from '../core/text/say';
import type { Ask } from '../host/workSide';

/** What the worker asks its window for. */
export const TRANSLATIONS = 'translations';

/** Says texts in the window's language, for a worker, which asks for the translations once. */
export class Translator {
  private known: Say | null = null;

  async say(ask: Ask): Promise<Say> {
    // A question that is not answered, as its task was given up, is asked again.
    this.known ??= sayIn((await ask(TRANSLATIONS)) as Translations);
    return this.known;
  }
}
