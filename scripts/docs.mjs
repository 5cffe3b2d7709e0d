// npm run docs: writes the documentation as a static site to out/site (--out=FOLDER: there). Any web server shows it;
// the search runs in the browser.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from './lib/root.mjs';
import { SEARCH, siteOf } from './lib/site.mjs';

const out = resolve(
  root,
  process.argv.find(flag => flag.startsWith('--out='))?.slice('--out='.length) ?? 'out/site',
);

/** The page's script: the index is loaded at the first key. */
const script = `import MiniSearch from './minisearch.js';
const root = document.documentElement.dataset.root;
const box = document.querySelector('input');
const found = document.getElementById('found');
let index = null;
const load = () => (index ??= fetch(root + '/search.json')
  .then(answer => answer.text())
  .then(text => MiniSearch.loadJSON(text, ${JSON.stringify(SEARCH)})));
box.addEventListener('input', async () => {
  const words = box.value.trim();
  const results = words === '' ? [] : (await load()).search(words, { prefix: true, fuzzy: 0.1, boost: { title: 3, heading: 2 } });
  found.replaceChildren(...results.slice(0, 12).map(({ title, heading, address }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = root + '/' + address;
    link.textContent = heading === title ? title : title + ': ' + heading;
    item.append(link);
    return item;
  }));
});
`;

const style = `:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); margin: 0; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; border-right: 1px solid #8884; }
nav ul, nav ol { list-style: none; padding: 0; } nav li { margin: 0.3rem 0; } nav input { width: 100%; margin-top: 1rem; font: inherit; box-sizing: border-box; }
.home { font-weight: 700; } a { color: light-dark(#0b57d0, #8ab4f8); text-decoration: none; } a:hover, [aria-current] { text-decoration: underline; }
main { max-width: 60rem; padding: 1rem 2rem 4rem; } pre { overflow: auto; padding: 0.8rem; background: #8882; } code { font-size: 0.9em; }
table { border-collapse: collapse; display: block; overflow: auto; } th, td { border: 1px solid #8884; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; } }
`;

const home = readFileSync(join(root, 'docs/npm.md'), 'utf8');
rmSync(out, { recursive: true, force: true });
const files = siteOf({ docs: join(root, 'docs'), home });
for (const [path, text] of [...files, ['site.js', script], ['site.css', style]]) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}
cpSync(join(root, 'node_modules/minisearch/dist/es/index.js'), join(out, 'minisearch.js'));
console.log(`${out}: ${[...files.keys()].filter(path => path.endsWith('.html')).length} pages`);
