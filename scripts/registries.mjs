// Writes registry.ts in each room of plug-ins: a list of every file there that exports a constant of the room's
// type. So a new dialect, rule, remedy, architecture, optimizer or GPU tool is one new file and nothing else.
// `--check` fails instead of writing when a registry is stale.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** folder · type of the constants · file of the type · name of the list · `keepsTypes`: the list tells its members' types apart */
const rooms = [
  ['src/core/dialects', 'Dialect', './dialect', 'dialects', { isData: true }],
  ['src/core/rules', 'Rule', './rule', 'rules'],
  ['src/core/rules/facts', 'Facts', '../fact', 'facts'],
  ['src/core/plan/remedies', 'Remedy', '../remedy', 'remedies'],
  ['src/core/memory/architectures', 'Architecture', '../architecture', 'architectures'],
  ['src/core/memory/optimizers', 'Optimizer', '../optimizer', 'optimizers'],
  ['src/core/memory/methods', 'AdapterMethod', '../adapterMethod', 'adapterMethods'],
  ['src/core/memory/frameworks', 'FrameworkProfile', './profile', 'frameworkProfiles', { keepsTypes: true }],
  ['src/core/advice/rules', 'AdviceRule', '../advice', 'adviceRules'],
  ['src/gpu/tools', 'GpuTool', '../tool', 'gpuTools'],
  ['src/jobs/engines', 'EngineMaker', '../engineMaker', 'engineMakers'],
];

/** The formatter's (package.json, prettier). */
const WIDTH = 110;

/** Names of the plug-ins a file exports: `export const axolotl: Dialect =`. */
function exportsOf(text, type, parameters = '') {
  return [...text.matchAll(new RegExp(`^export const (\\w+): ${type}${parameters} =`, 'gm'))].map(
    match => match[1],
  );
}

/** Names between brackets as the formatter writes them: on one line while it fits. */
function listed(head, names, tail, space = '') {
  const short = `${head}${space}${names.join(', ')}${space}${tail}`;
  return short.length <= WIDTH ? short : `${head}\n${names.map(name => `  ${name},\n`).join('')}${tail}`;
}

/** Plug-ins that are a file of data alone. */
const onlyData = (folder, files) =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.yaml') && !files.includes(name.replace(/yaml$/, 'ts')))
    .map(name => name.slice(0, -5))
    .sort();

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
  const data = isData ? onlyData(folder, files) : [];
  const imports = [
    ...found.map(file => ({ name: file.name, line: listed('import {', file.constants, `} from './${file.name}';`, ' ') })),
    ...data.map(name => ({ name, line: `import ${name} from './${name}.yaml';` })),
  ]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ line }) => line);
  const names = [
    ...found.map(({ name, constants }) => ({ name, constants })),
    ...data.map(name => ({ name, constants: [`builtIn(${name})`] })),
  ]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ constants }) => constants);
  return [
    '// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.',
    ...(data.length > 0 ? ["import { builtIn } from './defined/compile';"] : []),
    ...(keepsTypes ? [] : [`import type { ${type} } from '${from}';`]),
    ...imports,
    '',
    keepsTypes
      ? listed(`export const ${list} = [`, names, '] as const;')
      : listed(`export const ${list}: readonly ${type}[] = [`, names, '];'),
    '',
  ].join('\n');
}

/** Returns the registries that changed (or, when only checking, would change). */
export function writeRegistries({ check = false } = {}) {
  const stale = [];
  for (const room of rooms) {
    if (!existsSync(join(root, room[0]))) continue;
    const file = join(root, room[0], 'registry.ts');
    const text = registry(room);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    stale.push(`${room[0]}/registry.ts`);
    if (!check) writeFileSync(file, text);
  }
  return stale;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const stale = writeRegistries({ check });
  for (const file of stale) console.log(check ? `stale: ${file}` : `wrote ${file}`);
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}
