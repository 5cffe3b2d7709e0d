import assert from 'node:assert/strict';
import {
  escaped,
  Markdown,
  mdText,
  mdCode,
  mdCommand,
  mdFence,
  mdJoined,
  mdParagraphs,
  mdPicture,
  mdTable,
} from '../../../src/core/text/markdown';

describe('Markdown of a stranger’s text', () => {
  it('is escaped to plain words', () => {
    assert.equal(mdText`**${'a*b'}**`.source, '**a\\*b**');
    assert.equal(escaped('![x](https://a.b/c)'), '\\!\\[x\\]\\(https\\://a.b/c\\)');
    assert.equal(escaped('www.a.b me@a.b &lt; $1'), 'www\\.a.b me\\@a.b \\&lt; \\$1');
    assert.equal(escaped('- a'), '\\- a');
    assert.equal(escaped('1. a'), '1\\. a');
    assert.equal(escaped('=== \u001b\u202e'), '\\=== \\\\x1b\\\\u\\{202e\\}');
    assert.equal(escaped('a\n\n# b'), 'a \\# b');
  });

  it('stays in its code', () => {
    assert.equal(mdCode('a').source, '`a`');
    assert.equal(
      mdCode('1` ![b](https://evil.example/p.png) `').source,
      '`` 1` ![b](https://evil.example/p.png) ` ``',
    );
    assert.equal(mdCode('``').source, '``` `` ```');
    assert.equal(mdCode('a|b\nc').source, '`a/b c`');
    assert.equal(mdFence('a\n````\n\u001b', 'sh').source, '`````sh\na\n````\n\\x1b\n`````');
  });

  it('leads nowhere but to our commands and pictures', () => {
    assert.equal(
      mdCommand('a]', 'command:headroom.optimize?%5B(1)%5D').source,
      '[a\\]](command:headroom.optimize?%5B%281%29%5D)',
    );
    assert.equal(mdCommand('a', 'command:workbench.action.quit').source, 'a');
    assert.equal(mdCommand('a', 'https://a.b').source, 'a');
    assert.equal(mdPicture('a', 'https://a.b/c.svg').source, '');
    assert.equal(
      mdPicture('a]', 'data:image/svg+xml;utf8,%3Csvg(').source,
      '![a\\]](data:image/svg+xml;utf8,%3Csvg%28)',
    );
  });

  it('keeps its paragraph and cell', () => {
    assert.equal(mdParagraphs(['a', '', mdText`b`]).source, 'a\n\nb');
    assert.equal(mdJoined(['a|', mdText`|`], ' ').source, 'a\\| |');
    assert.equal(mdTable([['a'], ['b | c']]).source.split('\n').length, 3);
    assert.equal(String(mdText`**a**`), '\\*\\*a\\*\\*');
    assert.ok(!Markdown.is({ source: '**a**' }));
  });
});
