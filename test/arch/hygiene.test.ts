import assert from 'node:assert/strict';
import { filesBelow, textOf } from './sources';

const everything = ['src', 'webview', 'scripts', 'test', 'docs', '.ci'].flatMap(folder =>
  filesBelow(folder, '.ts', '.mjs', '.md', 'run').filter(path => !path.startsWith('test/fixtures/')),
);
const tests = everything.filter(path => /\.(test|ui)\.ts$/.test(path));

/** `path:line text` of each line that matches. */
function findings(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap(path =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

describe('sources', () => {
  it('leave nothing for later', () => {
    const marks = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'];
    assert.deepEqual(findings(everything, new RegExp(`\\b(${marks.join('|')})\\b`)), []);
  });

  it('silence no tool', () => {
    const marks = ['eslint-' + 'disable', '@ts-' + '(ignore|nocheck|expect-error)', 'prettier-' + 'ignore'];
    assert.deepEqual(findings(everything, new RegExp(`(//|/\\*|<!--) *(${marks.join('|')})`)), []);
  });
});

describe('suites', () => {
  it('run whole: none is singled out', () => {
    assert.deepEqual(findings(tests, /\b(?:describe|context|it|test)\.only\b/), []);
  });

  it('are not switched off: a suite that cannot run somewhere says when and why', () => {
    assert.deepEqual(findings(tests, /^\s*(?:(?:describe|context|it|test)\.skip|xit|xdescribe)\(/), []);
  });
});
