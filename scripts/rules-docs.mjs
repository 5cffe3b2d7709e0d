// Writes docs/rules: the table of all rules, and each rule's facts on its page. The explanations
// (“What it means”, “What to do”) are written by hand and kept.
//   node scripts/rules-docs.mjs [--check]
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { dialectFiles } from './lib/dialectFiles.mjs';
import { formatted } from './lib/formatted.mjs';
import { root } from './lib/root.mjs';

const folder = join(root, 'docs/rules');
const FIRST = '## What it means';
const LAST = '## Where this comes from';
const EMPTY = `${FIRST}\n\n## What to do`;

/** The rules, and the findings that are reported before any rule runs, from a bundle of both. */
async function loadRules() {
  const outfile = join(root, 'out/rules-docs/rules.cjs');
  const contents =
    "export { allRules } from './src/core/rules/allRules'; export { facts } from './src/core/rules/facts/registry';" +
    "export { FILE_RULES } from './src/core/analyse/fileFindings'; export { dialects } from './src/core/dialects/registry';" +
    "export { packs } from './src/core/dialects/defined/packs';";
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'warning',
    plugins: [dialectFiles],
  });
  const { allRules, facts, FILE_RULES, dialects, packs } = createRequire(import.meta.url)(outfile);
  const titles = Object.fromEntries(dialects.map(({ id, title }) => [id, title]));
  const projects = new Map(packs.map(({ id, project }) => [id, project.split(/[ ;]/)[0]]));
  const written = new Map(facts.flatMap(one => one.facts).map(fact => [fact.id, fact]));
  return [...allRules, ...Object.values(FILE_RULES)]
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(rule => ({
      ...rule,
      titles: rule.dialects?.map(id => titles[id] ?? id),
      projects: rule.packs?.map(id => projects.get(id)),
      fact: written.get(rule.id),
    }));
}

const configs = ({ titles, projects }) => {
  const all = titles?.join(', ') ?? 'every config';
  return projects ? `${all} of ${projects.join(', ')}` : all;
};

const cell = text => text.replaceAll('|', '\\|');

function table(rules) {
  const row = rule =>
    `| [${rule.id}](${rule.id}.md) | ${rule.severity} | ${configs(rule)} | ${cell(rule.summary)} |`;
  return `# Rules

\`node scripts/rules-docs.mjs\` generates this page from \`src/core/rules\`. Each rule has one file there, or is a fact in \`facts/\` or a
rule of a guide in \`guides/\`, and has one page here. Findings about a file itself (\`yaml-…\`, \`file-…\`, \`missing-file\`,
\`unreadable-value\`) are in \`src/core/analyse/fileFindings.ts\`.

With an **error**, the framework refuses the config or crashes. With a **warning**, the run starts, but not as written, or it needs more memory
than there is. **Information** is worth knowing. A **hint** shows a better way. If a value is unknown, a rule reports nothing.
\`headroom.rules.severity\` changes the severity of a rule or turns it \`off\`:

\`\`\`json
"headroom.rules.severity": { "under-used": "off", "tight": "warning" }
\`\`\`

## Ignore a finding

A comment in a YAML file or a script turns rules off in the editor, on the command line and in SARIF. The verdict of the run does not change.
JSON has no comments; use the setting there.

\`\`\`yaml
# headroom: ignore-file[under-used]
micro_batch_size: 8 # headroom: ignore[does-not-fit, tight]
# headroom: ignore[sequence-beyond-model]
sequence_len: 65536
\`\`\`

\`ignore[…]\` applies to its line, or to the next line if the comment is on a line of its own. \`ignore-file[…]\` applies to the whole file. The
quick fixes of a finding write these comments for you.

## All rules

| rule | severity | configs | what it reports |
| --- | --- | --- | --- |
${rules.map(row).join('\n')}
`;
}

function page(rule, written) {
  const sources = rule.sources.map(source => `- ${source}`).join('\n');
  return `# ${rule.id}

${rule.summary}

Severity: **${rule.severity}** · Configs: ${configs(rule)}

${explanation(written, rule.fact)}

${LAST}

${sources}

## Turn it off

Write \`# headroom: ignore[${rule.id}]\` behind the key, or turn the rule off in the settings:

\`\`\`json
"headroom.rules.severity": { "${rule.id}": "off" }
\`\`\`
`;
}

/** The hand-written part of a page: the existing one, or the fact's. */
function explanation(text, fact) {
  if (fact) return `${FIRST}\n\n${fact.meaning}\n\n## What to do\n\n${fact.advice}`;
  const from = text.indexOf(FIRST);
  const to = text.indexOf(LAST);
  return from < 0 || to < from ? EMPTY : text.slice(from, to).trim();
}

const read = path => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Every page by name, with its expected content. */
export async function rulePages() {
  const rules = await loadRules();
  const pages = [['README.md', table(rules)]];
  for (const rule of rules) pages.push([`${rule.id}.md`, page(rule, read(join(folder, `${rule.id}.md`)))]);
  return new Map(await Promise.all(pages.map(async ([name, text]) => [name, await formatted(name, text)])));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const pages = await rulePages();
  const stale = [...pages].filter(([name, text]) => read(join(folder, name)) !== text).map(([name]) => name);
  const orphans = readdirSync(folder).filter(name => !pages.has(name));
  if (process.argv.includes('--check')) {
    for (const name of stale) console.error(`docs/rules/${name} is stale: run node scripts/rules-docs.mjs`);
    for (const name of orphans) console.error(`docs/rules/${name} is the page of no rule`);
    process.exitCode = stale.length + orphans.length > 0 ? 1 : 0;
  } else {
    mkdirSync(folder, { recursive: true });
    for (const name of stale) writeFileSync(join(folder, name), pages.get(name));
  }
}
