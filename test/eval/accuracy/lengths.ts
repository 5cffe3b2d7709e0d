/** Tokens of a prompt, and after it. */
interface Lengths {
  readonly prompt: number;
  readonly generated: number;
}

/** A record's statements about its rows. */
interface Rows {
  readonly seq_layout: string | null;
  readonly seq_len: number | null;
  readonly framework: string;
  readonly assumptions?: readonly string[];
}

const BOTH: readonly RegExp[] = [
  /(\d+) (?:prompt|context)(?: token)? ?\+ (\d+) generated/,
  /(?:prompt|prefill) (\d+) \+ (?:decode )?(\d+)/,
];

/** Tokens of a "short" text, and litgpt's default generation length (generate/base.py, max_new_tokens). */
const SHORT = 32;
const LITGPT = 50;

/**
 * `30720 prompt + 2048 generated`, `prefill 64 + decode 64`; `generate 1024 tokens` after almost nothing, as in
 * GPTQ-for-LLaMa's benchmark; `short prompt + 60 new tokens`, `short generation`. Null: not stated.
 */
export function lengthsIn(rows: Rows): Lengths | null {
  const { seq_layout: layout, seq_len: length, framework } = rows;
  const words = layout ?? '';
  for (const pattern of BOTH) {
    const [, prompt, generated] = pattern.exec(words) ?? [];
    if (prompt && generated) return { prompt: Number(prompt), generated: Number(generated) };
  }
  const alone = Number(
    /(?:generate|benchmark) (\d+) tokens|max_new_tokens (\d+)/.exec(words)?.slice(1).find(Boolean) ?? 0,
  );
  if (alone > 0 && length !== null) return { prompt: Math.max(1, length - alone), generated: alone };
  const after = generatedIn(words, rows.assumptions?.join('; ') ?? '', framework);
  return after === null ? null : { prompt: SHORT, generated: after };
}

/** Tokens after a short prompt. */
function generatedIn(words: string, assumed: string, framework: string): number | null {
  const added =
    /short prompt \+ (\d+) new tokens/.exec(words)?.[1] ?? /(\d+) new tokens default/.exec(assumed)?.[1];
  if (added) return Number(added);
  if (words.includes('short generation')) return SHORT;
  return words === 'generate' && framework.startsWith('litgpt') ? LITGPT : null;
}
