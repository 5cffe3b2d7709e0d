import { parser as python } from '@lezer/python';
import { TreeFragment } from '@lezer/common';
import type { PartialParse, Tree } from '@lezer/common';

/** Functions are nodes of their own, not parts of buffers: only nodes are taken over from another text. */
const parser = python.configure({ bufferLength: 64 });

/** Steps that the parser may take around mistakes, some five for each; they take many times as long as others. */
const MOST_STEPS = 10_000;

/**
 * Places on the parser's stack, three for each open bracket or block; around mistakes it copies the whole stack. Python
 * itself refuses 200 open brackets (Parser/lexer/state.h, MAXLEVEL) and 100 blocks.
 */
const DEEPEST = 3 * 1000;

/** Texts without mistakes, as parsed: an edit of one of them parses only what it changes. The newest is first. */
const recent: { readonly text: string; readonly tree: Tree }[] = [];
/** A program and the files that it imports. */
const MOST_RECENT = 16;
/** The share of a text that an edit leaves. */
const NEARLY = 0.9;
/** Shorter texts are parsed at once. */
const LEAST_KEPT = 2000;

/**
 * The syntax tree of a program; null for a text with thousands of mistakes or open brackets. It depends on the text alone: what is
 * kept of another text is used only if neither has mistakes, for then there is only one tree.
 */
export function syntaxTree(text: string): Tree | null {
  if (text.length < LEAST_KEPT) return parsed(text, []).tree;
  const kept = nearest(text);
  if (kept) recent.splice(recent.indexOf(kept), 1);
  if (kept?.text === text) {
    recent.unshift(kept);
    return kept.tree;
  }
  const again = kept && parsed(text, fragmentsOf(kept.text, kept.tree, text));
  const { tree, isClean } = again?.isClean === true ? again : parsed(text, []);
  if (tree && isClean) {
    recent.unshift({ text, tree });
    recent.splice(MOST_RECENT);
  }
  return tree;
}

function parsed(text: string, fragments: readonly TreeFragment[]) {
  // `recovering` is above zero while the parser looks for a way to go on.
  const parse: PartialParse & {
    readonly recovering?: number;
    readonly stacks?: readonly { readonly stack: { readonly length: number } }[];
  } = parser.startParse(text, fragments);
  let steps = 0;
  for (;;) {
    const tree = parse.advance();
    if (tree) return { tree, isClean: steps === 0 };
    if ((parse.recovering ?? 0) > 0) steps += 1;
    const depth = parse.stacks?.[0]?.stack.length ?? 0;
    if (steps > MOST_STEPS || depth > DEEPEST) return { tree: null, isClean: false };
  }
}

/** The kept text that has most in common with this one, or nearly all; null if each has less than half. */
function nearest(text: string): (typeof recent)[number] | null {
  const same = recent.find(one => one.text === text);
  if (same) return same;
  let best: (typeof recent)[number] | null = null;
  let most = text.length / 2;
  for (const one of recent) {
    const { before, after } = commonEnds(one.text, text);
    if (before + after <= most) continue;
    most = before + after;
    best = one;
    if (most > NEARLY * text.length) break;
  }
  return best;
}

function fragmentsOf(old: string, tree: Tree, text: string): readonly TreeFragment[] {
  const { before, after } = commonEnds(old, text);
  const change = { fromA: before, toA: old.length - after, fromB: before, toB: text.length - after };
  return TreeFragment.applyChanges(TreeFragment.addTree(tree), [change]);
}

/** Characters that are compared at once. */
const BLOCK = 512;

function commonEnds(one: string, other: string) {
  const shorter = Math.min(one.length, other.length);
  let before = 0;
  while (before + BLOCK <= shorter && isSame(one, before, other, before)) before += BLOCK;
  while (before < shorter && one.charCodeAt(before) === other.charCodeAt(before)) before++;
  let after = 0;
  const most = shorter - before;
  const [end, otherEnd] = [one.length - BLOCK, other.length - BLOCK];
  while (after + BLOCK <= most && isSame(one, end - after, other, otherEnd - after)) after += BLOCK;
  while (
    after < most &&
    one.charCodeAt(one.length - 1 - after) === other.charCodeAt(other.length - 1 - after)
  ) {
    after++;
  }
  return { before, after };
}

const isSame = (one: string, at: number, other: string, otherAt: number): boolean =>
  one.slice(at, at + BLOCK) === other.slice(otherAt, otherAt + BLOCK);
