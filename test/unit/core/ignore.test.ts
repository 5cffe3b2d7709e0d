import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ignoreRules } from '../../../src/core/text/ignore';
import { tries } from '../../tries';

describe('rules of what is ignored', () => {
  const cases: readonly (readonly [rules: string, path: string, verdict: boolean | null])[] = [
    ['*.bin', 'a/b/c.bin', true],
    ['/build', 'a/build', null],
    ['/build', 'build', true],
    ['out/', 'out', null],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['**/logs', 'x/y/logs', true],
    ['logs/**', 'logs', null],
    ['logs/**', 'logs/a', true],
    ['*.pt\n!best.pt', 'best.pt', false],
    ['\\#a\n\\!b', '#a', true],
    ['# a comment', '# a comment', null],
    ['a[0-9]?', 'a7x', true],
    ['[!a]b', 'ab', null],
    ['a\\ ', 'a ', true],
    ['a   ', 'a', true],
    ['[', '[', null],
    ['a.b', 'axb', null],
  ];
  for (const [rules, path, verdict] of cases) {
    it(`${JSON.stringify(rules)} says ${String(verdict)} of ${path}`, () => {
      assert.equal(ignoreRules(rules)(path, false), verdict);
    });
  }

  it('take a time that grows with the path, however many stars they have', () => {
    const name = 'a'.repeat(250);
    const path = Array<string>(1000).fill('a').join('/');
    const rules = ignoreRules(
      [`${'*a'.repeat(20)}*b`, `${'*a*?'.repeat(9)}b`, `${'**/a/'.repeat(20)}b`].join('\n'),
    );
    const before = process.cpuUsage();
    assert.equal(rules(name, false), null);
    assert.equal(rules(path, false), null);
    assert.equal(rules(`${'a/'.repeat(400)}b`, false), true);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 2e6, `${String((user + system) / 1000)} ms`);
  });

  it('means folders alone behind a slash', () => {
    assert.equal(ignoreRules('out/')('out', true), true);
  });

  it('agrees with git', function () {
    this.timeout(30_000);
    const folder = mkdtempSync(join(tmpdir(), 'headroom-ignore-'));
    const git = (input: string, ...args: string[]) =>
      spawnSync('git', args, { cwd: folder, input, encoding: 'utf8' });
    if (git('', 'init', '-q').status !== 0) {
      rmSync(folder, { recursive: true, force: true });
      console.log('      skipped: git is not there');
      this.skip();
    }
    const name = fc.stringMatching(/^[ab][ab.]{0,3}$/);
    const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 40, maxLength: 40 });
    const letter = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '\\a', ' ');
    const part = fc.array(letter, { minLength: 1, maxLength: 5 }).map(letters => letters.join(''));
    // Two stars next to a letter are one star in git's manual, but not always in git.
    const level = fc.oneof({ arbitrary: part, weight: 4 }, { arbitrary: fc.constant('**'), weight: 1 });
    const levels = fc.array(level, { minLength: 1, maxLength: 5 }).map(all => all.join('/'));
    const rule = fc
      .tuple(fc.constantFrom('', '!', '/', '!/'), levels, fc.constantFrom('', '/', ' '))
      .map(words => words.join(''))
      .filter(text => !/[^/!]\*\*|\*\*[^/]/.test(text));
    const property = fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), paths, (lines, all) => {
      writeFileSync(join(folder, '.gitignore'), `${lines.join('\n')}\n`);
      const rules = ignoreRules(lines.join('\n'));
      const given = [...new Set(all.map(parts => parts.join('/')))].filter(
        path => !/(^|\/)\.+(\/|$)/.test(path),
      );
      const said = git(given.join('\n'), 'check-ignore', '--no-index', '--stdin').stdout.split('\n');
      for (const path of given) {
        assert.equal(isIgnored(rules, path), said.includes(path), `${lines.join(' | ')}: ${path}`);
      }
    });
    try {
      fc.assert(property, { numRuns: tries(20) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** A path is ignored if it or the first matching folder above it is. */
function isIgnored(rules: ReturnType<typeof ignoreRules>, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => rules(parts.slice(0, at + 1).join('/'), at < parts.length - 1) === true);
}
