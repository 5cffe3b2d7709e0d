import { readFileSync } from 'node:fs';
import type { Encoding, Tokenizer as NativeTokenizer } from 'tokenizers';
import { EmbedError } from '../errors';
import type { OnnxModel } from '../folder/modelFolder';
import { tokenizers } from './natives';
import { reasonOf } from '../../core/text/errors';

/** A tokenized text. */
export interface Tokens {
  readonly ids: Int32Array;
  /** Tokens of the prompt at its start that are excluded from pooling. */
  readonly skipped: number;
  /** The text was truncated. */
  readonly isCut: boolean;
  /** It has no tokens. */
  readonly isEmpty: boolean;
}

/** Texts tokenized at a time, because the library keeps much more per token than its id. */
const PIECE = 256;
/** Texts with fewer characters need not be cut before tokenization. */
const SHORT = 4096;
/**
 * No real text has more characters per token; text beyond this is not tokenized unless it turns out to be needed.
 */
const CHARACTERS_A_TOKEN = 32;
/**
 * The most characters of one token: a longer word fills the model with its beginning, or is one unknown token (WordPiece:
 * above 100 characters). Its rest would take minutes, during which nothing can be canceled.
 */
const MOST_CHARACTERS_A_TOKEN = 256;

/** Tokenizes texts with the tokenizer's native code, on its own threads. */
export class Tokenizer {
  private readonly native: NativeTokenizer;
  private readonly prompt: string;
  private readonly enough: number;
  private skipped = 0;
  /** Tokens of an empty text: the prompt's and special ones; −1 until they are counted. */
  private bare = -1;

  constructor(private readonly model: OnnxModel) {
    this.native = opened(model.tokenizer);
    // Files keep their last user's settings: for this model a truncation at 128 and a fixed length.
    this.native.disablePadding();
    this.native.setTruncation(model.maxTokens);
    this.prompt = model.prompt;
    this.enough = Math.max(SHORT, model.maxTokens * CHARACTERS_A_TOKEN);
  }

  async of(texts: readonly string[]): Promise<readonly Tokens[]> {
    await this.measurePrompt();
    const tokens: Tokens[] = [];
    for (let first = 0; first < texts.length; first += PIECE) {
      tokens.push(...(await this.ofPiece(texts.slice(first, first + PIECE))));
    }
    return tokens;
  }

  private async ofPiece(texts: readonly string[]): Promise<readonly Tokens[]> {
    const cut = texts.map(text => this.cut(text));
    const encodings = await this.native.encodeBatch(cut.map(text => this.prompt + text));
    const again = encodings.flatMap((each, i) => (this.isTooShort(each, cut[i], texts[i]) ? [i] : []));
    if (again.length > 0) {
      // Cut texts that did not fill the model, so the rest is needed.
      const whole = await this.native.encodeBatch(
        again.map(i => this.prompt + this.withoutLongWords(texts[i] ?? '')),
      );
      for (const [k, i] of again.entries()) {
        const encoding = whole[k];
        if (encoding) encodings[i] = encoding;
      }
    }
    return encodings.map((each, i) => this.tokensOf(each, cut[i] !== texts[i]));
  }

  private tokensOf(encoding: Encoding, wasCut: boolean): Tokens {
    const length = encoding.getLength();
    const isFull = length >= this.model.maxTokens;
    return {
      ids: Int32Array.from(encoding.getIds()),
      skipped: this.skipped,
      isCut: isFull && (wasCut || encoding.getOverflowing().length > 0),
      isEmpty: length <= this.bare,
    };
  }

  /** At a space, because no token spans one. */
  private cut(text: string): string {
    if (text.length <= this.enough) return text;
    const at = text.lastIndexOf(' ', this.enough);
    return at > this.enough / 2 ? text.slice(0, at) : this.withoutLongWords(text);
  }

  private withoutLongWords(text: string): string {
    const most = this.model.maxTokens * MOST_CHARACTERS_A_TOKEN;
    return text.length <= most ? text : text.replaceAll(/\S+/g, word => word.slice(0, most));
  }

  private isTooShort(encoding: Encoding, cut: string | undefined, text: string | undefined): boolean {
    return cut !== text && encoding.getLength() < this.model.maxTokens;
  }

  /** Counted as sentence-transformers does: the prompt's tokens without the final special token. */
  private async measurePrompt(): Promise<void> {
    if (this.bare >= 0) return;
    this.bare = (await this.native.encode(this.prompt)).getLength();
    if (this.prompt !== '' && !this.model.poolPrompt) this.skipped = this.bare - 1;
  }
}

function opened(path: string): NativeTokenizer {
  const library = tokenizers();
  try {
    return library.Tokenizer.fromString(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = reasonOf(error);
    throw new EmbedError(
      'bad-model',
      `${path}: couldn't read the tokenizer (${why}). Save it again with a current version of transformers.`,
    );
  }
}
