import type { YamlNode, YamlProblem } from './node';

/** How much of a stranger's file is looked at. */
export interface YamlLimits {
  readonly characters: number;
  readonly depth: number;
  readonly documents: number;
  /** Values that are written. */
  readonly values: number;
  /** Values there are once each alias and merge is followed. */
  readonly expanded: number;
  /** Mistakes that are told; each is looked up in the text. */
  readonly problems: number;
}

/**
 * The largest real config of the corpus is 165 kB with 5,600 values; 64 levels are five times the deepest. Aliases and merges
 * share trees, so a text of a few hundred bytes can stand for more values than any machine holds.
 */
export const defaultLimits: YamlLimits = {
  characters: 4 * 1024 * 1024,
  depth: 64,
  documents: 256,
  values: 20_000,
  expanded: 100_000,
  problems: 100,
};

/** Counts what a text comes to; who goes beyond a limit is told which. */
export class YamlBudget {
  private readonly sizes = new Map<YamlNode, number>();
  private values = 0;
  private merged = 0;
  /** The sentence about the limit that was passed; null: none was. */
  passed: string | null = null;

  constructor(private readonly limits: YamlLimits) {}

  /** Adds a node whose parts were added before. */
  add(node: YamlNode): void {
    this.values += 1;
    const size = this.sizeOf(node);
    this.sizes.set(node, size);
    if (this.values > this.limits.values) {
      this.passed ??= `This file has more than ${this.limits.values} values and was not analyzed.`;
    } else if (size > this.limits.expanded) this.passed ??= this.tooMuch();
  }

  /** Adds keys that a merge brings in. */
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

/** A cheap look before parsing; null when the text may be parsed. */
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

/** Line breaks and commas, one of which stands behind each value; stops behind the limit. */
function marksIn(text: string, limit: number): number {
  let marks = 0;
  for (let i = 0; i < text.length && marks <= limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x0a || code === 0x2c) marks += 1;
  }
  return marks;
}

/** Deepest run of open brackets, counted without regard to strings; stops at the limit. */
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
