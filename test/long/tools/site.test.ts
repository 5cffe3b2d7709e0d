import assert from 'node:assert/strict';
import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { anchorOf, SEARCH, siteOf } from '../../../scripts/lib/site.mjs';

describe('the documentation as a site', () => {
  const files = siteOf({
    docs: 'docs',
    home: '# Headroom\n\nSee [the agents](agents.md) and [the code](../src).\n',
  });

  it('has a page for each file, and links only to pages and anchors that exist', () => {
    assert.ok(files.has('index.html') && files.has('agents.html') && files.has('rules/index.html'));
    const broken: string[] = [];
    for (const [path, text] of files) {
      for (const [, href = ''] of text.matchAll(/<a[^>]* href="([^"]+)"/g)) {
        if (/^[a-z]+:/.test(href)) continue;
        const [file = '', anchor] = href.split('#');
        const to = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
        const there = files.get(to);
        if (there === undefined || (anchor !== undefined && !there.includes(`id="${anchor}"`))) {
          broken.push(`${path}: ${href}`);
        }
      }
    }
    assert.deepEqual(broken, []);
    assert.match(files.get('index.html') ?? '', /<a href="agents\.html">the agents<\/a> and the code\./);
  });

  it('is found by words, with the place', () => {
    const index = MiniSearch.loadJSON(files.get('search.json') ?? '', SEARCH);
    const [first] = index.search('guard command');
    assert.equal(first?.['address'], `guard.html#${anchorOf('A guard before a command')}`);
    const text = JSON.stringify(index.search('pre-commit'));
    assert.match(text, /agents\.html#pre-commit/);
  });
});
