import { readFile } from 'node:fs/promises';
import type { Tokenizer } from 'tokenizers';
import { CHAT_MARKS, PLAIN_MARKS } from '../core/lengths/chatMarks';
import type { ChatMarks } from '../core/lengths/chatMarks';
import { EmbedError } from '../embed/errors';
import { tokenizers } from '../embed/engine/natives';
import { reasonOf } from '../core/text/errors';

/** Counts a text's tokens with the model's own tokenizer. */
export interface Counter {
  /** Its display name. */
  readonly name: string;
  readonly marks: ChatMarks;
  /** `isRendered`: the texts already contain the tokens at both ends. */
  count(texts: readonly string[], isRendered: boolean): Promise<readonly number[]>;
}

/** The tokenizer of a `tokenizer.json`; or a sentence that says why it cannot be used. */
export async function openCounter(
  path: string,
  name: string,
): Promise<{ readonly counter: Counter } | { readonly why: string }> {
  try {
    const native = tokenizers().Tokenizer.fromString(await readFile(path, 'utf8'));
    // Files keep their last user's padding and truncation.
    native.disablePadding();
    native.disableTruncation();
    return { counter: counterOf(native, name) };
  } catch (error) {
    if (error instanceof EmbedError) return { why: error.message };
    return { why: `${path} cannot be read (${reasonOf(error)})` };
  }
}

function counterOf(native: Tokenizer, name: string): Counter {
  const marks = CHAT_MARKS.find(({ token }) => native.tokenToId(token) !== null) ?? PLAIN_MARKS;
  return {
    name,
    marks,
    count: async (texts, isRendered) => {
      const encodings = await native.encodeBatch([...texts], { addSpecialTokens: !isRendered });
      return encodings.map(encoding => encoding.getLength());
    },
  };
}
