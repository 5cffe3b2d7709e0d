// Headroom's own dialects are YAML in the format of `.headroom/dialects`. The build reads them with the same
// parser: a mistake ends the build with its line, and the bundle contains plain JSON.
import { build as bundle } from 'esbuild';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { root } from './root.mjs';

const dialects = join(root, 'src/core/dialects');

/** The exports of a CommonJS bundle. */
function exportsOf(text) {
  const module = { exports: {} };
  new Function('module', 'exports', 'require', text)(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}

/** The exports of these sources below `folder`, bundled. */
async function exportsFrom(contents, folder, plugins) {
  const { outputFiles } = await bundle({
    stdin: { contents, resolveDir: join(root, folder), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'warning',
    plugins,
  });
  return exportsOf(outputFiles[0].text);
}

const FORMAT = join(dialects, 'defined/format.yaml');

/** The description of the format, with which the parser itself is built. */
export const dialectFormat = {
  name: 'dialect-format',
  setup(build) {
    build.onResolve({ filter: /\.format$/ }, () => ({ path: FORMAT, namespace: 'format' }));
    build.onLoad({ filter: /.*/, namespace: 'format' }, () => ({
      contents: JSON.stringify(parseYaml(readFileSync(FORMAT, 'utf8'))),
      loader: 'json',
      watchFiles: [FORMAT],
    }));
  },
};

let parse = null;

/** The parser of dialect files, the shape of packs and the reader of launch lines, from the sources. */
const parser = () =>
  (parse ??= exportsFrom(
    "export { parseDefinition } from './parse'; export { packShape } from './format'; export { commandsOf } from './commands';",
    'src/core/dialects/defined',
    [dialectFormat],
  ));

const isEmpty = value => value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Without empty fields, which are filled in when the dialect is made. */
const compact = row => Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value)));

/** Results by file, because several bundles are built at once and each asks for every file. */
const known = new Map();

/** One file as JSON, or its errors, for esbuild. */
async function readDialectFile(path) {
  const text = readFileSync(path, 'utf8');
  const old = known.get(path);
  if (old?.text === text) return old.result;
  const result = await compiled(path, text);
  known.set(path, { text, result });
  return result;
}

async function compiled(path, text) {
  const file = relative(root, path);
  const { parseDefinition, packShape } = await parser();
  const isPack = basename(dirname(path)) === 'packs';
  const { definition, problems } = parseDefinition(file, text, isPack ? packShape : undefined);
  const errors = problems.map(({ span, message }) => ({
    text: message,
    location: { file, line: text.slice(0, span.start).split('\n').length },
  }));
  if (definition === null && errors.length === 0) errors.push({ text: `${file} is not a dialect.` });
  if (errors.length > 0) return { errors };
  const rows = Object.fromEntries(Object.entries(definition.rows).map(([name, row]) => [name, compact(row)]));
  const { pack, ...dialect } = definition;
  const said = pack ? { ...pack, ...packFields(definition), rows } : { ...dialect, rows };
  return { contents: moduleOf(said), loader: 'js', watchFiles: [path] };
}

/** Fields of every dialect that are needed at every start. */
const HEAD = new Set([
  ...['id', 'title', 'file', 'role', 'framework', 'loader', 'sections', 'signature', 'program', 'calls'],
  ...['project', 'extends', 'evidence', 'task'],
]);

/**
 * A module with a file's content. Everything except its head is text until it is needed: a run uses one dialect of
 * a hundred.
 */
function moduleOf(said) {
  const fields = Object.entries(said);
  const head = Object.fromEntries(fields.filter(([name]) => HEAD.has(name)));
  const rest = Object.fromEntries(fields.filter(([name]) => !HEAD.has(name)));
  const getters = Object.keys(rest).map(name => `get ${name}() { return rest().${name}; },`);
  return [
    'let parsed;',
    `const rest = () => (parsed ??= JSON.parse(${JSON.stringify(JSON.stringify(rest))}));`,
    `export default { ...${JSON.stringify(head)}, ${getters.join(' ')} };`,
  ].join('\n');
}

/** A pack's fields of a dialect; of its signature, only the given parts. */
function packFields({ id, title, signature: { strong, medium, weak, needs = [] }, writers, help }) {
  return { id, title, writers, help, signature: compact({ strong, medium, weak, needs }) };
}

/** A module with all files of a folder; for dialects, only those without a file of hooks. */
function listing(folder, isWanted) {
  const files = readdirSync(folder).filter(name => name.endsWith('.yaml') && isWanted(name));
  const imports = files.sort().map((name, i) => `import file${i} from './${name}';\n`);
  return {
    contents: `${imports.join('')}export default [${files.map((_, i) => `file${i}`).join(', ')}];\n`,
    resolveDir: folder,
    watchDirs: [folder],
  };
}

const hasNoHooks = name => !existsSync(join(dialects, name.replace(/yaml$/, 'ts')));

/** The commands that start the dialects' own programs. */
async function readCommands() {
  const { parseDefinition, commandsOf } = await parser();
  const files = readdirSync(dialects).filter(name => name.endsWith('.yaml'));
  const commands = files.flatMap(name => {
    const path = join(dialects, name);
    const { definition } = parseDefinition(relative(root, path), readFileSync(path, 'utf8'));
    return definition?.role !== 'run' ? [] : commandsOf(definition.launch);
  });
  return { contents: JSON.stringify([...new Set(commands)].sort()), loader: 'json', watchDirs: [dialects] };
}

function loadYaml(build) {
  dialectFormat.setup(build);
  build.onLoad({ filter: /dialects[\\/].*\.yaml$/ }, ({ path }) => readDialectFile(path));
  build.onResolve({ filter: /\.(?:packs|dialects|commands)$/ }, ({ path }) => ({
    path,
    namespace: 'listing',
  }));
  build.onLoad({ filter: /packs$/, namespace: 'listing' }, () =>
    listing(join(dialects, 'packs'), () => true),
  );
  build.onLoad({ filter: /dialects$/, namespace: 'listing' }, () => listing(dialects, hasNoHooks));
  build.onLoad({ filter: /commands$/, namespace: 'listing' }, readCommands);
}
const yamlFiles = { name: 'dialect-yaml', setup: loadYaml };

/**
 * The signatures of all dialects with their packs' additions, as far as the scan of a text needs them, so that it
 * loads nothing else.
 */
async function readSignatures() {
  const { dialects, packed, scannedCalls } = await exportsFrom(
    "export { dialects } from './registry'; export { packed, scannedCalls } from './engine/scan';",
    'src/core/dialects',
    [yamlFiles],
  );
  const calls = dialects.flatMap(({ calls = [] }) => calls);
  return {
    contents: JSON.stringify({
      ...packed(dialects.map(({ signature }) => signature)),
      ...scannedCalls(calls),
    }),
    loader: 'json',
  };
}

/** Shared by all bundles that are built at once. */
let signatures = null;

/** Dialect files as modules. */
export const dialectFiles = {
  name: 'dialect-files',
  setup(build) {
    build.onStart(() => {
      signatures = null;
    });
    loadYaml(build);
    build.onResolve({ filter: /\.signatures$/ }, ({ path }) => ({ path, namespace: 'signatures' }));
    build.onLoad({ filter: /.*/, namespace: 'signatures' }, () => (signatures ??= readSignatures()));
  },
};
