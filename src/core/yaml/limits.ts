import type { YamlNode, YamlProblem } from './node';

/** Limits for reading untrusted files. */
export interface YamlLimits {
  readonly characters: number;
  readonly depth: number;
  readonly documents: number;
  /** Values in the text. */
  readonly values: number;
  /** Values after resolving all aliases and merges. */
  readonly expanded: number;
  /** Mistakes that are told; each is looked up in the text. */
  readonly problems: number;
}

/**
 * The largest real config of the corpus is 165 kB with 5,600 values, and a list of 8,000 datasets has 24,000; 64 levels are five times the deepest. Aliases
 * and merges share trees, so a few hundred bytes of text can expand beyond any machine's memory.
 */
export const defaultLimits: YamlLimits = {
  characters: 4 * 1024 * 1024,
  depth: 64,
  documents: 256,
  values: 40_000,
  expanded: 100_000,
  problems: 100,
};

/** Counts the expanded size of a text and reports an exceeded limit. */
export class YamlBudget {
  private readonly sizes = new Map<YamlNode, number>();
  private values = 0;
  private merged = 0;
  /** The sentence about the exceeded limit; null: none. */
  passed: string | null = null;

  constructor(private readonly limits: YamlLimits) {}

  /** Adds a node whose children were already added. */
  add(node: YamlNode): void {
    this.values += 1;
    const size = this.sizeOf(node);
    this.sizes.set(node, size);
    if (this.values > this.limits.values) {
      this.passed ??= `This file has more than ${this.limits.values} values and was not analyzed.`;
    } else if (size > this.limits.expanded) this.passed ??= this.tooMuch();
  }

  /** Adds keys from a merge. */
  addMerged(keys: number): void {
    this.merged += keys;
    if (this.merged > this.limits.expanded) this.passed ??= this.tooMuch();
  }

  private tooMuch(): string {
    return `Aliases make more than ${this.limits.expanded} values of this file; it was not analyzed.`;
  }

  private sizeOf(node: YamlNode): number {
    if (node.kind === 'scalar') return 1;
    if (node.kind === 'alias') return node.target ? this.known(node.target) : 1;
    const parts = node.kind === 'sequence' ? node.items : node.entries.map(({ value }) => value);
    return parts.reduce((sum, part) => sum + this.known(part), 1);
  }

  private known(node: YamlNode): number {
    return this.sizes.get(node) ?? 1;
  }
}

/** A quick check before parsing; null if the text may be parsed. */
export function checkText(text: string, limits: YamlLimits): YamlProblem | null {
  const at = (code: YamlProblem['code'], message: string): YamlProblem => ({
    code,
    span: { start: 0, end: 0 },
    message,
  });
  if (text.length > limits.characters) {
    const size = (text.length / 1024 / 1024).toFixed(1);
    const most = limits.characters / 1024 / 1024;
    return at('too-large', `This file has ${size} MB; Headroom reads configs up to ${most} MB.`);
  }
  if (text.includes('\0')) return at('binary', 'This file is not text.');
  if (marksIn(text, 2 * limits.values) > 2 * limits.values) {
    return at('too-large', `This file has more than ${limits.values} values and was not analyzed.`);
  }
  if (bracketDepth(text, limits.depth) > limits.depth) {
    return at('too-deep', `This file has more than ${limits.depth} levels of nesting and was not analyzed.`);
  }
  return null;
}

/** Counts line breaks and commas, one of which follows each value; stops after the limit. */
function marksIn(text: string, limit: number): number {
  let marks = 0;
  for (let i = 0; i < text.length && marks <= limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x0a || code === 0x2c) marks += 1;
  }
  return marks;
}

/** The deepest nesting of brackets, ignoring strings; stops at the limit. */
function bracketDepth(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length && deepest <= limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1);
  }
  return deepest;
}
