import type { Located } from '../../text/located';

/** A text that is put together from pieces of another one, with the place of each character. */
export class LocatedText {
  private text = '';
  private readonly at: number[] = [];

  constructor(private readonly outer: string) {}

  /** Characters of the outer text. */
  take(start: number, end: number): this {
    this.text += this.outer.slice(start, end);
    for (let at = start; at < end; at++) this.at.push(at);
    return this;
  }

  /** Characters that the outer text does not have, at a place in it. */
  add(text: string, at: number): this {
    this.text += text;
    this.at.push(...Array.from({ length: text.length }, () => at));
    return this;
  }

  endsWithBackslash(): boolean {
    return this.text.endsWith('\\\n');
  }

  done(): Located {
    return { text: this.text, at: [...this.at, (this.at.at(-1) ?? -1) + 1] };
  }
}
