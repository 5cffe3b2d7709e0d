import { readFile } from 'node:fs/promises';
import type { Tokenizer } from 'tokenizers';
import { CHAT_MARKS, PLAIN_MARKS } from '../core/lengths/chatMarks';
import type { ChatMarks } from '../core/lengths/chatMarks';
import { EmbedError } from '../embed/errors';
import { tokenizers } from '../embed/engine/natives';
import { reasonOf } from '../core/text/errors';

/** What counts a text: the model's own tokenizer. */
export interface Counter {
  /** What people call it. */
  readonly name: string;
  readonly marks: ChatMarks;
  /** `isRendered`: the tokens at both ends are in the texts. */
  count(texts: readonly string[], isRendered: boolean): Promise<readonly number[]>;
}

/** The tokenizer of a file `tokenizer.json`; or why it is none: a sentence. */
export async function openCounter(
  path: string,
  name: string,
): Promise<{ readonly counter: Counter } | { readonly why: string }> {
  try {
    const native = tokenizers().Tokenizer.fromString(await readFile(path, 'utf8'));
    // Files carry what their last user set.
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
