import assert from 'node:assert/strict';
import ts from 'typescript';
import { attacksOn } from './attacks';
import type { Attack } from './attacks';
import { lineOf, nodes, sources } from './sources';

/**
 * How often a piece is repeated, then how long the text is. Exponential time shows in the first, high powers soon after; what takes
 * quadratic time takes some 100 ms for the longest, and what takes linear time less than one.
 */
const TIMES = [16, 20, 24, 28];
const LENGTHS = [64, 256, 1024, 4096, 20_000];
/** Processor time for the longest: a quadratic pattern that takes as long takes 200 ms for 100,000 characters. */
const MOST_MS = 8;

interface Literal {
  readonly place: string;
  readonly pattern: RegExp;
}

function literals(): readonly Literal[] {
  const found = new Map<string, Literal>();
  for (const source of sources('src', 'webview')) {
    for (const node of nodes(source.tree)) {
      if (!ts.isRegularExpressionLiteral(node) || found.has(node.text)) continue;
      const end = node.text.lastIndexOf('/');
      const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
      found.set(node.text, { place: `${source.path}:${lineOf(source, node)}`, pattern });
    }
  }
  return [...found.values()];
}

const textsOf = ({ start, piece, end }: Attack): readonly string[] =>
  [...TIMES, ...LENGTHS.map(length => Math.ceil(length / piece.length))].map(
    times => start + piece.repeat(times) + end,
  );

/** Processor time of a search, or of all of them where the pattern is global; the least of some: the collector comes when it likes. */
function leastMs(pattern: RegExp, text: string): number {
  let least = Infinity;
  for (let tried = 0; tried < 3 && least > MOST_MS; tried++) {
    pattern.lastIndex = 0;
    const before = process.cpuUsage();
    text.match(pattern);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Where a pattern takes too long; null: nowhere. */
function slownessOf({ place, pattern }: Literal): string | null {
  for (const attack of attacksOn(pattern)) {
    for (const text of textsOf(attack)) {
      const ms = leastMs(pattern, text);
      if (ms <= MOST_MS) continue;
      const { start, piece, end } = attack;
      const what = JSON.stringify([start, piece, end]);
      return `${place} ${String(pattern)}: ${Math.round(ms)} ms on ${text.length} characters of ${what}`;
    }
  }
  return null;
}

describe('regular expressions of the sources', function () {
  this.timeout(120_000);

  it('take a time that grows with the text, whatever it is', () => {
    const all = literals();
    assert.ok(all.length > 500, `only ${all.length} were found`);
    assert.deepEqual(
      all.map(slownessOf).filter(slow => slow !== null),
      [],
    );
  });

  it('would be found if they did not', () => {
    const slow = [
      /\s+$/,
      /^(.*?)\s*$/,
      /a+b/,
      /(?:\d+)+x/,
      /\[([^\]]+)\]/,
      /a:(?:b{2}|c)(?:[ \t]*(?:#[^\n]*)?\r?\n)*d/,
    ];
    for (const pattern of slow) {
      assert.notEqual(slownessOf({ place: 'here', pattern }), null, String(pattern));
    }
    assert.equal(slownessOf({ place: 'here', pattern: /(?<!\s)\s+$/ }), null);
  });
});
