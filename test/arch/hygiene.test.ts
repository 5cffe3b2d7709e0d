import assert from 'node:assert/strict';
import { filesBelow, textOf } from './sources';

const everything = ['src', 'webview', 'scripts', 'test', 'docs', '.ci'].flatMap(folder =>
  filesBelow(folder, '.ts', '.mjs', '.md', 'run').filter(path => !path.startsWith('test/fixtures/')),
);
const tests = everything.filter(path => /\.(test|ui)\.ts$/.test(path));

/** `path:line text` of each matching line. */
function findings(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap(path =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

describe('sources', () => {
  it('contain no to-do comments', () => {
    const marks = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'];
    assert.deepEqual(findings(everything, new RegExp(`\\b(${marks.join('|')})\\b`)), []);
  });

  it('disable no checks', () => {
    const marks = [
      '(eslint|oxlint)-' + 'disable',
      '@ts-' + '(ignore|nocheck|expect-error)',
      '(prettier|oxfmt)-' + 'ignore',
    ];
    assert.deepEqual(findings(everything, new RegExp(`(//|/\\*|<!--) *(${marks.join('|')})`)), []);
  });
});

describe('suites', () => {
  it('run completely, without an exclusive test', () => {
    assert.deepEqual(findings(tests, /\b(?:describe|context|it|test)\.only\b/), []);
  });

  it('are not disabled: a suite that cannot run somewhere says when and why', () => {
    assert.deepEqual(findings(tests, /^\s*(?:(?:describe|context|it|test)\.skip|xit|xdescribe)\(/), []);
  });
});

describe('signals of tests', () => {
  it('go through one function, which never sends them to the process group of the tests', () => {
    const code = everything.filter(path => path.startsWith('test/') && path !== 'test/signals.ts');
    // Signal 0 only asks whether a process exists.
    assert.deepEqual(findings(code, /\bprocess\.kill\((?!.*, 0\))/), []);
  });
});

describe('untrusted text', () => {
  const source = filesBelow('src', '.ts');
  const others = (allowed: readonly string[]): readonly string[] =>
    source.filter(path => !allowed.includes(path));

  it('is escaped by two text types, and few places may create them from escaped text', () => {
    const allowed = ['src/core/text/terminal.ts', 'src/core/text/markdown.ts', 'src/cli/commands/check.ts'];
    assert.deepEqual(findings(others(allowed), /\b(?:TerminalText|Markdown)\.ours\(/), []);
  });

  it('reaches a Markdown view through one function', () => {
    assert.deepEqual(
      findings(others(['src/host/markdown.ts']), /new MarkdownString\(|isTrusted = \{|supportHtml = true/),
      [],
    );
  });

  it('reaches notifications, prompts and lists through one function', () => {
    const way = ['src/host/messages.ts', 'src/host/quickPick.ts'];
    assert.deepEqual(findings(others(way), /\b(?:list|pick)\.items = (?!rows\()/), []);
    assert.deepEqual(
      findings(others(way), /\.(?:showInputBox|showQuickPick|withProgress|setStatusBarMessage)\(/),
      [],
    );
    assert.deepEqual(findings(others(way), /\.show(?:Information|Warning|Error)Message\(/), []);
  });

  it('reaches a terminal through one function', () => {
    // The raw output of a job; a redrawn progress bar; the output of a thread that runs this program.
    const allowed = [
      'src/cli/output.ts',
      'src/cli/jobs/follow.ts',
      'src/cli/embed/progress.ts',
      'src/cli/lengths/counting.ts',
      'src/cli/commands/gpus.ts',
      'src/cli/checkThreads.ts',
    ];
    const found = findings(others(allowed), /\bprocess\.std(?:out|err)\.write\(|\bconsole\./);
    assert.deepEqual(
      found.filter(line => !line.includes('write(`${visible(')),
      [],
    );
  });
});
