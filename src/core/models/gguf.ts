import { mixtureNames } from './ggmlMixtures';

/** The facts in the name of a GGUF file or repository. */
interface GgufName {
  /** The model without the file suffix: `Meta-Llama-3-8B-Instruct`. */
  readonly base: string;
  /** The quantization mixture: `Q4_K_M`; null if the name does not say. */
  readonly mixture: string | null;
}

const FILE = /\.gguf$/i;
/** `-00001-of-00003` */
const PART = /-\d{5}-of-\d{5}$/;
const REPOSITORY = /[-_.]gguf$/i;
const WORDS = [...mixtureNames].toSorted((a, b) => b.length - a.length).join('|');
/**
 * At the end, after a separator: `.Q4_K_M`, `-q8_0`, `:Q4_K_M`. Excludes mixtures of other tools (`UD-Q4_K_XL`).
 */
const MIXTURE = new RegExp(String.raw`(?:^|[-_.:*])(?:i1-)?(${WORDS})$`, 'i');

/**
 * The model and the mixture in a name: `bartowski/Meta-Llama-3-8B-Instruct-GGUF:Q4_K_M`,
 * `models/llama-2-7b.Q4_0.gguf`; null for names of other files.
 */
export function ggufName(name: string): GgufName | null {
  const last = name.trim().split(/[/\\]/).at(-1) ?? '';
  const bare = last.replace(FILE, '').replace(PART, '');
  const found = MIXTURE.exec(bare);
  const isGguf = FILE.test(last) || /gguf/i.test(last) || found !== null;
  if (!isGguf) return null;
  const before = found ? bare.slice(0, found.index) : bare;
  return { base: before.replace(REPOSITORY, ''), mixture: found?.[1]?.toUpperCase() ?? null };
}

/** Removes suffixes that only name the container of the same weights: `-hf`, `-GGUF`. */
export const withoutContainer = (name: string): string => name.toLowerCase().replace(/[-_](?:hf|gguf)$/, '');
