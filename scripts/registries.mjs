// Writes registry.ts in each folder of plug-ins: a list of every file there that exports a constant of the folder's
// type. So a new dialect, rule, remedy, architecture, optimizer or GPU tool is one new file. Also writes the table
// of rooms in CONTRIBUTING from src/rooms.json. `--check` fails instead of writing if a file is stale.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRooms, roomsTable } from './lib/rooms.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * folder · type of the constants · file of the type · name of the list · `keepsTypes`: the list keeps its members'
 * types
 */
const registries = [
  ['src/core/dialects', 'Dialect', './dialect', 'dialects', { isData: true }],
  ['src/core/rules', 'Rule', './rule', 'rules'],
  ['src/core/rules/guides', 'Rule', '../rule', 'guideRules'],
  ['src/core/rules/facts', 'Facts', '../fact', 'facts'],
  ['src/core/plan/remedies', 'Remedy', '../remedy', 'remedies'],
  ['src/core/memory/architectures', 'Architecture', '../architecture', 'architectures'],
  ['src/core/memory/optimizers', 'Optimizer', '../optimizer', 'optimizers'],
  ['src/core/memory/methods', 'AdapterMethod', '../adapterMethod', 'adapterMethods'],
  ['src/core/memory/frameworks', 'FrameworkProfile', './profile', 'frameworkProfiles', { keepsTypes: true }],
  ['src/core/advice/rules', 'AdviceRule', '../advice', 'adviceRules'],
  ['src/gpu/tools', 'GpuTool', '../tool', 'gpuTools'],
  ['src/core/history/readers', 'LogReader', '../logs', 'logReaders'],
  ['src/jobs/engines', 'EngineMaker', '../engineMaker', 'engineMakers'],
];

/** The formatter's line width. */
const { printWidth: WIDTH } = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'));

/** Names of the plug-ins a file exports: `export const axolotl: Dialect =`. */
function exportsOf(text, type, parameters = '') {
  return [...text.matchAll(new RegExp(`^export const (\\w+): ${type}${parameters} =`, 'gm'))].map(
    match => match[1],
  );
}

/** Names in brackets as the formatter writes them: on one line if they fit. */
function listed(head, names, tail, space = '') {
  const short = `${head}${space}${names.join(', ')}${space}${tail}`;
  return short.length <= WIDTH ? short : `${head}\n${names.map(name => `  ${name},\n`).join('')}${tail}`;
}

function registry([folder, type, from, list, { keepsTypes = false, isData = false } = {}]) {
  const files = readdirSync(join(root, folder))
    .filter(name => name.endsWith('.ts') && name !== 'registry.ts')
    .sort();
  const found = files
    .map(name => ({
      name: name.slice(0, -3),
      constants: exportsOf(readFileSync(join(root, folder, name), 'utf8'), type, keepsTypes ? '<[^=]*>' : ''),
    }))
    .filter(file => file.constants.length > 0);
  const imports = found.map(file => listed('import {', file.constants, `} from './${file.name}';`, ' '));
  const names = [
    ...found.flatMap(({ constants }) => constants),
    // Files of data alone are listed by the build (lib/dialectFiles.mjs).
    ...(isData ? ['...files.map(file => builtIn(file))'] : []),
  ];
  return [
    '// Written by scripts/registries.mjs: it lists every file of this folder.',
    ...(isData
      ? ["import files from './data.dialects';", "import { builtIn } from './defined/compile';"]
      : []),
    ...(keepsTypes ? [] : [`import type { ${type} } from '${from}';`]),
    ...imports,
    '',
    keepsTypes
      ? listed(`export const ${list} = [`, names, '] as const;')
      : listed(`export const ${list}: readonly ${type}[] = [`, names, '];'),
    '',
  ].join('\n');
}

/** CONTRIBUTING with an updated table of rooms between its markers. */
function contributing() {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const marked = /(<!-- rooms: .*-->\n\n)[^]*?(\n\n<!-- end of rooms -->)/;
  if (!marked.test(text)) throw new Error('CONTRIBUTING.md: the marks around the table of rooms are gone.');
  return text.replace(marked, (_, before, after) => `${before}${roomsTable(readRooms(root))}${after}`);
}

/** Returns the changed files (with `check`: those that would change). */
export function writeRegistries({ check = false } = {}) {
  const folders = registries.filter(([folder]) => existsSync(join(root, folder)));
  const files = [
    ...folders.map(row => [`${row[0]}/registry.ts`, registry(row)]),
    ['CONTRIBUTING.md', contributing()],
  ];
  const stale = files.filter(([name, text]) => {
    const file = join(root, name);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  if (!check) for (const [name, text] of stale) writeFileSync(join(root, name), text);
  return stale.map(([name]) => name);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const stale = writeRegistries({ check });
  for (const file of stale) console.log(check ? `stale: ${file}` : `wrote ${file}`);
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}
