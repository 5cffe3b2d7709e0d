import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import ts from 'typescript';
import { SHELL, STARTS, TRAINS } from '../../src/core/dialects/command/programs';
import { programs as known } from '../../src/core/dialects/find';
import { words } from '../../src/core/dialects/generic/vocabulary';
import taskByClass from '../../src/core/dialects/shared/taskByClass.json';
import { leastCpuMs } from '../cpuTime';
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

/**
 * Sources that are only known when they run, with what they are made of. What a stranger's file says comes in by escaped words, by
 * `filePattern`, which bounds its steps, or by rules that are tested in time; the others are made of our own data and literals, or of
 * names that are literals where they are called.
 */
const MADE: Readonly<Record<string, string>> = {
  'src/jobs/slurm/states.ts': 'literal names',
  'src/gpu/slurm/nodes.ts': 'literal names',
  'src/gpu/amd/sysfs.ts': 'literal kinds',
  'src/gpu/apple/registry.ts': 'literal keys',
  'src/gpu/nvidia/table.ts': 'literal labels',
  'src/gpu/nvidia/monitors.ts': 'literal labels',
  'src/gpu/nvidia/csv.ts': 'literals, for lines of bounded length',
  'src/gpu/system/nvtopScreen.ts': 'literals',
  'src/gpu/jetson/jtop.ts': 'literals and literal names',
  'src/gpu/recording/sanitise.ts': 'escaped words',
  'src/remote/configAliases.ts': 'the user’s own SSH config, escaped but for its wildcards',
  'src/core/spec/filePattern.ts': 'bounded steps; time is tested: test/unit/core/hostilePatterns.test.ts',
  'src/core/text/ignore.ts': 'time is tested: test/unit/core/ignore.test.ts',
  'src/core/dialects/shared/tasks.ts': 'own data, attacked below',
  'src/core/dialects/generic/vocabulary.ts': 'own data, attacked below',
  'src/core/dialects/defined/compile.ts': 'own data, attacked below',
  'src/core/dialects/generic/ownModel.ts': 'literals',
  'src/core/dialects/generic/ownUnet.ts': 'literals',
  'src/core/dialects/generic/sniff.ts': 'own data',
  'src/core/dialects/embeddings.ts': 'literals',
  'src/core/output/progress/bars.ts': 'literals; time is tested: test/long/output/linear.test.ts',
  'src/core/output/oom/explain.ts': 'own data; time is tested: test/long/output/linear.test.ts',
  'src/core/output/progress/reader.ts': 'literals; time is tested: test/long/output/linear.test.ts',
  'src/core/output/progress/prints.ts': 'own data; time is tested: test/long/output/linear.test.ts',
  'src/core/output/oom/numbers.ts': 'own data; time is tested: test/long/output/linear.test.ts',
  'src/core/dialects/command/programs.ts': 'own data, attacked below',
  'src/core/output/clean.ts': 'literals',
  'src/core/text/framePrefixes.ts': 'literals; time is tested: test/unit/text/frame.test.ts',
  'src/core/models/ladders.ts': 'own data',
  'src/core/models/gguf.ts': 'literals',
  'src/core/data/forms/line.ts': 'own data; time is tested: test/long/output/linear.test.ts',
};

/** Files with an expression that is made while the program runs. */
function makers(): readonly string[] {
  const found = sources('src', 'webview').filter(({ tree }) =>
    [...nodes(tree)].some(
      node =>
        (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(tree) === 'RegExp',
    ),
  );
  return found.map(({ path }) => path);
}

const textsOf = ({ start, piece, end }: Attack): readonly string[] =>
  [...TIMES, ...LENGTHS.map(length => Math.ceil(length / piece.length))].map(
    times => start + piece.repeat(times) + end,
  );

/** The time of a search, or of all of them where the pattern is global. */
const searchMs = (pattern: RegExp, text: string): number =>
  leastCpuMs(MOST_MS, () => {
    pattern.lastIndex = 0;
    text.match(pattern);
  });

/** Where a pattern takes too long; null: nowhere. */
function slownessOf({ place, pattern }: Literal): string | null {
  for (const attack of attacksOn(pattern)) {
    for (const text of textsOf(attack)) {
      const ms = searchMs(pattern, text);
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

  it('are made while the program runs only where it is known of what', () => {
    assert.deepEqual([...makers()].sort(), Object.keys(MADE).sort());
    const tests = Object.values(MADE).flatMap(why => /test\/\S+\.ts/.exec(why)?.[0] ?? []);
    assert.deepEqual(
      tests.filter(path => !existsSync(path)),
      [],
    );
    const own = taskByClass.patterns.map(([pattern = '']) => ({
      place: 'taskByClass.json',
      pattern: new RegExp(pattern),
    }));
    const vocabulary = Object.entries(words).map(([name, pattern]) => ({
      place: `vocabulary: ${name}`,
      pattern,
    }));
    const servers = known.flatMap(({ dialect, program: { server } }) =>
      [server?.start, server?.image, server?.not].flatMap(pattern =>
        pattern ? [{ place: dialect, pattern }] : [],
      ),
    );
    const programs = [SHELL, STARTS, TRAINS].map(pattern => ({ place: 'programs.ts', pattern }));
    assert.deepEqual(
      [...own, ...vocabulary, ...servers, ...programs].map(slownessOf).filter(slow => slow !== null),
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
