import type { YamlProblem } from './node';

/** How much of a stranger's file is looked at. */
export interface YamlLimits {
  readonly characters: number;
  readonly depth: number;
}

/** The largest real config of the corpus is 165 kB; 64 levels are five times the deepest. */
export const defaultLimits: YamlLimits = { characters: 4 * 1024 * 1024, depth: 64 };

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
  if (bracketDepth(text, limits.depth) > limits.depth) {
    return at('too-deep', `This file has more than ${limits.depth} levels of nesting and was not analyzed.`);
  }
  return null;
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
