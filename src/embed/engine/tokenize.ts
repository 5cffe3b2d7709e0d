import { readFileSync } from 'node:fs';
import type { Encoding, Tokenizer as NativeTokenizer } from 'tokenizers';
import { EmbedError } from '../errors';
import type { OnnxModel } from '../folder/modelFolder';
import { tokenizers } from './natives';
import { reasonOf } from '../../core/text/errors';

/** A text as the model takes it. */
export interface Tokens {
  readonly ids: Int32Array;
  /** Tokens of the prompt at its begin that take no part in the pooling. */
  readonly skipped: number;
  /** Its end did not fit into the model. */
  readonly isCut: boolean;
  /** Nothing of it became a token. */
  readonly isEmpty: boolean;
}

/** Texts at a time: the library keeps much more of each token than its number. */
const PIECE = 256;
/** No text of so few characters needs to be cut before it is tokenised. */
const SHORT = 4096;
/** Characters a token, beyond which no one writes: what lies behind is not looked at where so much is enough. */
const CHARACTERS_A_TOKEN = 32;

/** Texts to numbers: the tokenizer's own code, on threads of its own. */
export class Tokenizer {
  private readonly native: NativeTokenizer;
  private readonly prompt: string;
  private readonly enough: number;
  private skipped = 0;
  /** Tokens of an empty text, the prompt's and special ones; −1 until they are counted. */
  private bare = -1;

  constructor(private readonly model: OnnxModel) {
    this.native = opened(model.tokenizer);
    // Files carry what their last user set: of this model a cut at 128 and a fixed length.
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
      // Cut texts that did not fill the model: the rest matters after all.
      const whole = await this.native.encodeBatch(again.map(i => this.prompt + (texts[i] ?? '')));
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

  /** At a space, where no token goes across. */
  private cut(text: string): string {
    if (text.length <= this.enough) return text;
    const at = text.lastIndexOf(' ', this.enough);
    return at > this.enough / 2 ? text.slice(0, at) : text;
  }

  private isTooShort(encoding: Encoding, cut: string | undefined, text: string | undefined): boolean {
    return cut !== text && encoding.getLength() < this.model.maxTokens;
  }

  /** As sentence-transformers counts it: the prompt's tokens without the one that ends a text. */
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
