/** A size as a word of its own: a name without one is that of a whole family. */
const SIZE = /(?:^|[^a-z\d.])\d+(?:\.\d+)?[bm](?=$|[^a-z\d])/i;

/** Weights in another form than those of the model that they are called after, and networks beside it. */
const OTHER_WEIGHTS =
  /gptq|awq|gguf|[48]bit|int[48]|fp[48]|nf4|bnb|quant|prun|eagle|medusa|draft|moe|\dx\d|franken|upscal/i;

/** Longer names are not searched: nobody's folder is called like that. */
const LONGEST = 300;

interface Name {
  readonly name: string;
  readonly words: readonly string[];
}

/** Finds names of models inside the longer names that people give to what they trained from them. */
export class NamesInNames {
  /** By the first word, the longest name first. */
  private readonly names = new Map<string, Name[]>();

  constructor(names: Iterable<string>) {
    for (const name of names) {
      if (!SIZE.test(name) || OTHER_WEIGHTS.test(name)) continue;
      const words = wordsOf(name);
      this.enter({ name, words });
      // Meta's own repositories have the owner in their names, other people's folders do not.
      if (words[0] === 'meta') this.enter({ name, words: words.slice(1) });
    }
    for (const alike of this.names.values()) alike.sort((a, b) => b.words.length - a.words.length);
  }

  /** The name of the only model in a text; null: none, several, or weights in another form. */
  in(text: string): string | null {
    if (text.length > LONGEST || OTHER_WEIGHTS.test(text)) return null;
    const words = wordsOf(text);
    const found = new Set<string>();
    for (let at = 0; at < words.length; at += 1) {
      const hit = this.at(words, at);
      if (hit === null) continue;
      found.add(hit.name);
      at += hit.words.length - 1;
    }
    const [only = null, ...others] = found;
    return others.length === 0 ? only : null;
  }

  private enter(name: Name): void {
    const [first = ''] = name.words;
    const alike = this.names.get(first) ?? [];
    alike.push(name);
    this.names.set(first, alike);
  }

  private at(words: readonly string[], at: number): Name | null {
    const alike = this.names.get(words[at] ?? '') ?? [];
    return alike.find(one => one.words.every((word, index) => words[at + index] === word)) ?? null;
  }
}

/** Letters and digits apart: `Qwen2.5-7B` is qwen 2 5 7 b. */
const wordsOf = (name: string): readonly string[] => name.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
