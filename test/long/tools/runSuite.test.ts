import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSuite } from '../../../scripts/lib/runSuite.mjs';
import type { SuiteResult } from '../../../scripts/lib/runSuite.mjs';
import { temporaryFolder } from '../../../scripts/lib/temporary.mjs';
import { Total } from '../../../scripts/lib/total.mjs';

/** Titles that fail in the first run of their suite, and titles that fail again when their file is rerun. */
interface Fails {
  readonly first: readonly string[];
  readonly again: readonly string[];
}

const TITLES = ['opens', 'closes', 'waits', 'stops', 'loads'];

/** A program that leaves the same output as mocha: the titles are its tests, all in one file. */
function programOf(folder: string, { first, again }: Fails): readonly string[] {
  const script = join(folder, 'suite.mjs');
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
    const failing = process.argv.includes('--again') ? ${JSON.stringify(again)} : ${JSON.stringify(first)};
    const all = ${JSON.stringify(TITLES)}.map(fullTitle => ({ fullTitle, file: 'a.ui.mjs' }));
    const passes = all.filter(({ fullTitle }) => !failing.includes(fullTitle));
    const failures = all
      .filter(({ fullTitle }) => failing.includes(fullTitle))
      .map(test => ({ ...test, err: { message: test.fullTitle + ' took too long' } }));
    const stats = { passes: passes.length, failures: failures.length, pending: 0 };
    writeFileSync(${JSON.stringify(join(folder, 'results.json'))}, JSON.stringify({ stats, passes, failures }));
    process.exit(failures.length > 0 ? 1 : 0);`,
  );
  return [script];
}

async function run(fails: Fails, waits: boolean): Promise<SuiteResult> {
  const { folder, remove } = temporaryFolder('headroom-suite');
  try {
    const node = programOf(folder, fails);
    const suite = { name: 'windows', node, results: join(folder, 'results.json'), limitMs: 20_000, waits };
    return await runSuite(suite, { echo: false });
  } finally {
    remove();
  }
}

const counts = ({ passed, failed }: SuiteResult): readonly number[] => [passed, failed];

const endOf = (...results: readonly SuiteResult[]): { failed: number; text: string } => {
  const total = new Total();
  for (const result of results) total.add(result);
  return { failed: total.failed, text: total.text() };
};

describe('a test that fails, and passes when its file runs again', () => {
  it('passes in a suite that waits, and is named above the last line with what failed first', async () => {
    const result = await run({ first: ['waits'], again: [] }, true);
    assert.deepEqual(counts(result), [5, 0]);
    const { failed, text } = endOf(result);
    assert.equal(failed, 0);
    assert.equal(
      text,
      'flaky: windows: waits: failed, then passed\n    waits took too long\n\n5 passed, 0 failed, 0 skipped',
    );
  });

  it('fails in a suite that computes', async () => {
    const result = await run({ first: ['waits'], again: [] }, false);
    assert.deepEqual(counts(result), [4, 1]);
    assert.deepEqual(result.flaky, []);
    assert.match(
      endOf(result).text,
      /^failed: windows: waits\n {4}waits took too long\n\n4 passed, 1 failed/,
    );
  });

  it('saves no other test of the file', async () => {
    const result = await run({ first: ['waits', 'stops'], again: ['stops'] }, true);
    assert.deepEqual(counts(result), [4, 1]);
    const { failed, text } = endOf(result);
    assert.equal(failed, 1);
    assert.match(text, /^failed: windows: stops\n[^]*\n\nflaky: windows: waits: failed, then passed\n/);
  });

  it('fails the run when more than three did', async () => {
    const three = { first: TITLES.slice(0, 3), again: [] };
    const first = await run(three, true);
    assert.equal(endOf(first).failed, 0);
    const { failed, text } = endOf(first, await run({ first: ['waits'], again: [] }, true));
    assert.equal(failed, 4);
    assert.match(text, /^failed: 4 tests are flaky, and more than 3 fail a run\n/);
    assert.match(text, /\n6 passed, 4 failed, 0 skipped$/);
  });
});
