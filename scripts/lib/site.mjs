// The pages of the documentation as HTML, with an index for the search.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';
import MiniSearch from 'minisearch';

/** Fields of the index; the page's script searches with the same ones. */
export const SEARCH = { fields: ['title', 'heading', 'text'], storeFields: ['title', 'heading', 'address'] };

/** Pages that are not in the list on the left: each finding links to its own. */
const isListed = path => !path.startsWith('rules/') || path === 'rules/README.md';

const escaped = text => text.replace(/[&<>"]/g, sign => `&#${sign.codePointAt(0)};`);

/** As GitHub makes anchors of headings, which the pages link to. */
export const anchorOf = text =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** Markdown files below a folder, relative to it, sorted. */
const pagesBelow = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => name.endsWith('.md'))
    .sort();

export const addressOf = path =>
  path.replace(/(?:^|(?<=\/))README\.md$/, 'index.html').replace(/\.md$/, '.html');

const titleOf = text => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';

/** Links to pages lead to their HTML; those that leave the documentation are texts. */
function linkIn(path, href, pages) {
  if (/^(?:https?:|#|mailto:)/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const to = posix.normalize(posix.join(dirname(path), file));
  if (!pages.has(to)) return null;
  const back = posix.relative(posix.dirname(addressOf(path)), addressOf(to));
  return anchor === undefined ? back : `${back}#${anchor}`;
}

function rendered(path, text, pages) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const anchor = anchorOf(inner);
        return `<h${depth} id="${anchor}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = linkIn(path, href, pages);
        return to === null ? inner : `<a href="${escaped(to)}">${inner}</a>`;
      },
    },
  });
  return marked.parse(text);
}

/** A section for each heading: what the search finds. */
function sectionsOf(path, text) {
  const title = titleOf(text);
  return text.split(/^(?=#{1,3} )/m).map((section, index) => {
    const [, heading = title] = /^#{1,3} (.+)$/m.exec(section) ?? [];
    const plain = heading.replaceAll('`', '');
    const address = `${addressOf(path)}#${anchorOf(plain)}`;
    return { id: `${path}:${index}`, title, heading: plain, text: section, address };
  });
}

function page(path, { title, body, list }) {
  const up = posix.relative(posix.dirname(addressOf(path)), '.') || '.';
  const links = list.map(one => {
    const here = one.path === path ? ' aria-current="page"' : '';
    return `<li><a href="${up}/${addressOf(one.path)}"${here}>${escaped(one.title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en" data-root="${up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Headroom</title>
<link rel="stylesheet" href="${up}/site.css">
<script type="module" src="${up}/site.js"></script>
</head>
<body>
<nav>
<a class="home" href="${up}/index.html">Headroom</a>
<input type="search" placeholder="Search" aria-label="Search the documentation">
<ol id="found"></ol>
<ul>${links.join('\n')}</ul>
</nav>
<main>${body}</main>
</body>
</html>
`;
}

/** Texts of the files of the site, by path. `home` is the first page. */
export function siteOf({ docs, home }) {
  const texts = new Map(pagesBelow(docs).map(path => [path, readFileSync(join(docs, path), 'utf8')]));
  texts.set('README.md', home);
  const pages = new Set(texts.keys());
  const list = [...texts]
    .filter(([path]) => isListed(path) && path !== 'README.md')
    .map(([path, text]) => ({ path, title: titleOf(text) }))
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
  const files = new Map();
  const index = new MiniSearch(SEARCH);
  for (const [path, text] of texts) {
    const body = rendered(path, text, pages);
    files.set(addressOf(path), page(path, { title: titleOf(text), body, list }));
    index.addAll(sectionsOf(path, text));
  }
  files.set('search.json', JSON.stringify(index));
  return files;
}
