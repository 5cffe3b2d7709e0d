// The dialects that come with Headroom are YAML in the format of `.headroom/dialects`. They are read by the same parser
// when the project is built: a mistake in one ends the build with its line, and the bundle has plain JSON.
import { build as bundle, buildSync } from 'esbuild';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { root } from './root.mjs';

const dialects = join(root, 'src/core/dialects');

let parse = null;

/** What a bundle in CommonJS exports. */
function exportsOf(text) {
  const module = { exports: {} };
  new Function('module', 'exports', 'require', text)(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}

/** The parser of dialects' files and the shape of packs, from the sources. */
function parser() {
  if (parse === null) {
    const { outputFiles } = buildSync({
      stdin: {
        contents: "export { parseDefinition } from './parse'; export { packShape } from './shape';",
        resolveDir: join(root, 'src/core/dialects/defined'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      write: false,
      logLevel: 'warning',
    });
    parse = exportsOf(outputFiles[0].text);
  }
  return parse;
}

const isEmpty = value => value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Without the fields that say nothing: they are filled in when the dialect is made. */
const compact = row => Object.fromEntries(Object.entries(row).filter(([, value]) => !isEmpty(value)));

/** What was made of each file: several bundles are built at once, and each asks for every file. */
const known = new Map();

/** One file as JSON, or what is wrong in it, for esbuild. */
export function readDialectFile(path) {
  const text = readFileSync(path, 'utf8');
  const old = known.get(path);
  if (old?.text === text) return old.result;
  const result = compiled(path, text);
  known.set(path, { text, result });
  return result;
}

function compiled(path, text) {
  const file = relative(root, path);
  const { parseDefinition, packShape } = parser();
  const isPack = basename(dirname(path)) === 'packs';
  const { definition, problems } = parseDefinition(file, text, isPack ? packShape : undefined);
  const errors = problems.map(({ span, message }) => ({
    text: message,
    location: { file, line: text.slice(0, span.start).split('\n').length },
  }));
  if (definition === null && errors.length === 0) errors.push({ text: `${file} is no dialect.` });
  if (errors.length > 0) return { errors };
  const rows = Object.fromEntries(Object.entries(definition.rows).map(([name, row]) => [name, compact(row)]));
  const { pack, ...dialect } = definition;
  const said = pack ? { ...pack, ...packFields(definition), rows } : { ...dialect, rows };
  return { contents: moduleOf(said), loader: 'js', watchFiles: [path] };
}

/** What every start asks of every dialect. */
const HEAD = new Set([
  ...['id', 'title', 'file', 'role', 'framework', 'loader', 'sections', 'signature', 'program'],
  ...['project', 'extends', 'evidence', 'task'],
]);

/** A module with what a file says. All but its head is text until it is asked for: a run has one dialect of a hundred. */
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

/** What a pack has of a dialect's fields; of its signature, what it says. */
function packFields({ id, title, signature: { strong, medium, weak, needs = [] }, writers, help }) {
  return { id, title, writers, help, signature: compact({ strong, medium, weak, needs }) };
}

/** A module with all files of a folder; of the dialects, those that have no file of hooks. */
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

function loadYaml(build) {
  build.onLoad({ filter: /dialects[\\/].*\.yaml$/ }, ({ path }) => readDialectFile(path));
  build.onResolve({ filter: /\.(?:packs|dialects)$/ }, ({ path }) => ({ path, namespace: 'listing' }));
  build.onLoad({ filter: /packs$/, namespace: 'listing' }, () =>
    listing(join(dialects, 'packs'), () => true),
  );
  build.onLoad({ filter: /dialects$/, namespace: 'listing' }, () => listing(dialects, hasNoHooks));
}
const yamlFiles = { name: 'dialect-yaml', setup: loadYaml };

/**
 * The signatures of all dialects with what their packs add, as far as the scan of a text needs them, so that it loads
 * nothing else.
 */
async function readSignatures() {
  const { outputFiles } = await bundle({
    stdin: {
      contents:
        "export { dialects } from './src/core/dialects/registry'; export { packed } from './src/core/dialects/engine/scan';",
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'warning',
    plugins: [yamlFiles],
  });
  const { dialects, packed } = exportsOf(outputFiles[0].text);
  return { contents: JSON.stringify(packed(dialects.map(({ signature }) => signature))), loader: 'json' };
}

/** The signatures, for all bundles that are built at once. */
let signatures = null;

/** Dialects' files as modules. */
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
