// Writes docs/settings.md from the manifest: the only place that describes settings.
//   node scripts/settings-docs.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatted } from './lib/formatted.mjs';
import { localizedManifest } from './lib/manifest.mjs';
import { root } from './lib/root.mjs';

const page = join(root, 'docs/settings.md');

const SCOPES = {
  window: 'user, workspace',
  resource: 'user, workspace, folder',
  machine: 'user settings of the machine only',
  application: 'user settings only',
};

const shown = value => `\`${JSON.stringify(value)}\``;

/** A cell: one line, no column separators; `#other.setting#` links of the settings page become plain names. */
const cell = text =>
  text
    .replace(/`#([^#`]+)#`/g, '`$1`')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');

function range({ minimum, maximum }) {
  return minimum === undefined ? '' : ` (${minimum} to ${maximum})`;
}

function row([key, setting]) {
  const { default: value, scope, markdownDescription } = setting;
  return `| \`${key}\` | ${shown(value)}${range(setting)} | ${SCOPES[scope]} | ${cell(markdownDescription)} |`;
}

function section({ title, properties }) {
  const rows = Object.entries(properties).sort(([, one], [, other]) => one.order - other.order);
  const table = [
    '| setting | default | where | what it does |',
    '| --- | --- | --- | --- |',
    ...rows.map(row),
  ];
  return [`## ${title}`, table.join('\n')];
}

/** The page for the current manifest. */
export async function settingsPage() {
  const { contributes } = localizedManifest();
  const intro = 'Generated from `package.json` and `package.nls.json` by `node scripts/settings-docs.mjs`.';
  const parts = ['# Settings', intro, ...contributes.configuration.flatMap(section)];
  return formatted('settings.md', parts.join('\n\n'));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = await settingsPage();
  if (!process.argv.includes('--check')) writeFileSync(page, text);
  else if (readFileSync(page, 'utf8') !== text) {
    console.error('docs/settings.md is stale: run node scripts/settings-docs.mjs');
    process.exitCode = 1;
  }
}
