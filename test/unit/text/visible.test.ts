import assert from 'node:assert/strict';
import { label, notice, visible, visibleJson, visibleLine } from '../../../src/core/text/visible';
import {
  block,
  joined,
  lines,
  paintWith,
  plainPaint,
  table,
  terminal,
  TerminalText,
} from '../../../src/core/text/terminal';

describe('text of a stranger', () => {
  it('shows what a terminal would obey or hide', () => {
    assert.equal(visible('a\u001b[2K\rb\nc\td'), 'a\\x1b[2K\\rb\\nc\\td');
    assert.equal(visible('\u009b31m\u007f'), '\\x9b31m\\x7f');
    assert.equal(visible('\u202egpj\u2066\u200b\ufeff'), '\\u{202e}gpj\\u{2066}\\u{200b}\\u{feff}');
    assert.equal(visible('\u2028\ud800\u{e0041}'), '\\u{2028}\\u{d800}\\u{e0041}');
    assert.equal(visible('größe 数据 🙂 naïve'), 'größe 数据 🙂 naïve');
  });

  it('is one line where blanks do not matter', () => {
    assert.equal(visibleLine('a\n  b\tc\u001b'), 'a b c\\x1b');
    assert.equal(label('$(alert) a'), '\\$(alert) a');
  });

  it('has no icon in a label, even if it is one already', () => {
    // VS Code's own pattern: an icon is what has no backslash before it.
    const icons = (text: string) =>
      [...text.matchAll(/(\\)?\$\([\w-]+(?:~\w+)?\)/g)].filter(([, kept]) => !kept);
    for (const text of ['$(alert)', '$$(alert)', '\\$(alert)', '\\\\$(alert)', '$(a)$(b~spin)', '$\n(a)']) {
      assert.deepEqual(icons(label(text)), [], text);
      assert.equal(label(label(text)), label(text));
    }
    assert.equal(label('a b (c) $d'), 'a b (c) $d');
  });

  it('has no link in a notification', () => {
    // VS Code's own pattern for links.
    const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
    const link = '[Mend it](command:workbench.action.terminal.new)';
    for (const text of [
      link,
      `[a${link}`,
      `${link}(${link})`,
      link.replace('](', ']\u200b('),
      '[a](HTTPS://b)',
    ]) {
      assert.deepEqual(notice(text).match(LINK), null, text);
    }
    assert.equal(notice('[run] (4 of 5)\n$(x) done'), '[run] (4 of 5) $(x) done');
  });

  it('is the same to a program that reads JSON', () => {
    const value = { 'a\u009b': ['\u202e\n', '🙂', '\u{e0041}'] };
    const text = visibleJson(value, 2);
    assert.doesNotMatch(text, /[\u009b\u202e]/);
    assert.deepEqual(JSON.parse(text), value);
  });
});

describe('text for a terminal', () => {
  const red = paintWith({ ...marksOf(), bad: text => `\u001b[31m${text}\u001b[39m` });

  it('has lines and colors of ours only', () => {
    assert.equal(terminal`a ${'b\nc'} ${1}`.raw, 'a b\\nc 1');
    assert.equal(terminal`${terminal`x\n`}${'\u001b'}`.raw, 'x\n\\x1b');
    assert.equal(red.bad('\u001b[32mfake').raw, '\u001b[31m\\x1b[32mfake\u001b[39m');
    assert.equal(lines(['a\nb', terminal`c`]).raw, 'a\\nb\nc');
    assert.equal(joined(['a', 'b'], ', ').raw, 'a, b');
    assert.equal(block('a\r\nb\u001b').raw, 'a\nb\\x1b');
    assert.equal(plainPaint.bold('x').raw, 'x');
  });

  it('keeps the cells of a table apart', () => {
    const rows = table([['a'], ['x | y\n| z\u001b']]).raw.split('\n');
    assert.equal(rows.length, 3);
    assert.match(rows[2] ?? '', /^\| x \/ y \/ z\\x1b \|$/);
  });

  it('is untrusted again when it is put into a string', () => {
    assert.equal(String(terminal`a\n${red.bad('b')}`), 'a\\n\\x1b[31mb\\x1b[39m');
    assert.ok(!TerminalText.is({ raw: '\u001b' }));
  });
});

function marksOf() {
  const same = (text: string): string => text;
  return { bold: same, dim: same, good: same, warn: same, bad: same };
}
