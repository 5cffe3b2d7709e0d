// Bundles what ships into dist/ (--dist=FOLDER names another place) and, with --tests, what tests into out/test.
// --tests=FOLDER,… bundles only these folders of test/, and only the bundles of dist/ without shared chunks, which unit tests need.
// --only=NAME,… bundles only these of what ships: `extension`, `recognise`.
// --production minifies and drops the maps; --watch rebuilds on change.
// --packages=FILE writes which packages of others have code in what ships, as JSON.
import * as esbuild from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { bundledPackages } from './scripts/lib/bundledPackages.mjs';
import { dialectFiles } from './scripts/lib/dialectFiles.mjs';
import { pathToFileURL } from 'node:url';
import { inBrowser } from './scripts/lib/inBrowser.mjs';
import { sharing } from './scripts/lib/sharing.mjs';
import { writeRegistries } from './scripts/registries.mjs';

const flags = new Set(process.argv.slice(2));
const production = flags.has('--production');
/** Names of the bundles to build; null: all. */
const only =
  process.argv
    .find(flag => flag.startsWith('--only='))
    ?.slice('--only='.length)
    .split(',') ?? null;
const testsFlag = process.argv.find(flag => /^--tests(=|$)/.test(flag));
/** Folders of test/ to bundle; null: all. */
const testFolders = testsFlag?.split('=')[1]?.split(',') ?? null;
const dist = process.argv.find(flag => flag.startsWith('--dist='))?.slice('--dist='.length) ?? 'dist';
const packagesFile = process.argv.find(flag => flag.startsWith('--packages='))?.slice('--packages='.length);

/** Modules that ship as separate files. `import('./…')` of one loads its file on first use. */
const chunks = {
  'src/panel/page/chunk.ts': 'panel',
  'src/editor/analysisChunk.ts': 'analysis',
  'src/editor/outputsChunk.ts': 'outputs',
  'src/editor/rareCommands.ts': 'commands',
  'src/editor/fileAnalysis.ts': 'reading',
  'src/worker.ts': 'worker',
  'src/core/dialects/couldBe.ts': 'recognise',
  'src/core/dialects/dialectLogs.ts': 'dialectLogs',
  'src/world/open.ts': 'world',
  'src/world/programs.ts': 'programs',
  'src/hub/open.ts': 'hub',
  'src/profile/throughCli.ts': 'profile',
  'src/cli/mcp/server.ts': 'mcp',
  'src/gpu/adapters.ts': 'adapters',
  'src/remote/kubeApi.ts': 'kubernetes',
  'src/host/toolServer.ts': 'toolServer',
  'src/gpu/openFleet.ts': 'gpu',
  'src/panel/meterView.ts': 'meter',
  'src/jobs/openJobs.ts': 'jobs',
  'src/tasks/chunk.ts': 'tasks',
  'src/editor/optimize/chunk.ts': 'plans',
  'src/editor/profile/chunk.ts': 'profiling',
  'src/embed/chunk.ts': 'embed',
  'src/embed/engine/worker.ts': 'embedWorker',
  'src/lengths/chunk.ts': 'lengths',
  'src/lengths/templateWorker.ts': 'templateWorker',
};

const asChunks = {
  name: 'chunks',
  setup(build) {
    const names = new Map(Object.entries(chunks).map(([file, name]) => [resolve(file), name]));
    build.onResolve({ filter: /^\./ }, args => {
      if (args.kind !== 'dynamic-import') return undefined;
      const name = names.get(`${resolve(args.resolveDir, args.path)}.ts`);
      return name && { path: `./${name}.js`, external: true };
    });
  },
};

const common = {
  loader: { '.sh': 'text', '.py': 'text' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  alias: {
    // As ES modules, which its package has for browsers: the same code, bundled flat. Parsing is then a tenth faster.
    yaml: resolve('node_modules/yaml/browser/dist/index.js'),
    // node-fetch takes `URL` from Node and this package's only where Node lacks it; its table of domains is 260 kB.
    'whatwg-url': 'node:url',
  },
  supported: { 'dynamic-import': false },
  // Libraries written as ES modules use `import.meta.url`, which CommonJS lacks.
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  sourcemap: production ? false : 'linked',
  minify: production,
  legalComments: 'none',
  logLevel: 'warning',
};

function filesBelow(folder, ...endings) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter(name => endings.some(ending => name.endsWith(ending)))
    .map(name => join(folder, name))
    .sort();
}

/** These bundles share most of the core. The editor's entry point, and files that start a process, stand alone. */
const SHARERS = ['program', 'analysis', 'reading', 'dialectLogs', 'tasks', 'mcp', 'embed', 'lengths'];

function shipped() {
  const entries = {
    extension: 'src/extension.ts',
    cli: 'src/cli/start.ts',
    program: 'src/cli/main.ts',
    keeper: 'src/cli/keeper.ts',
  };
  for (const [file, name] of Object.entries(chunks)) entries[name] = file;
  const bundles = isSharer => ({
    ...common,
    entryPoints: Object.fromEntries(
      Object.entries(entries).filter(
        ([name, file]) =>
          existsSync(file) && SHARERS.includes(name) === isSharer && (only?.includes(name) ?? true),
      ),
    ),
    outdir: dist,
    external: ['vscode'],
    plugins: [asChunks, dialectFiles],
  });
  return testFolders || only ? [bundles(false)] : [bundles(false), sharing(bundles(true))];
}

/** Chunks of the browser's build. */
const webChunks = {
  'src/core/dialects/couldBe.ts': 'recognise',
  'src/editor/analysisChunk.ts': 'analysis',
  'src/editor/outputsChunk.ts': 'outputs',
  'src/editor/rareCommands.ts': 'commands',
  'src/editor/optimize/chunk.ts': 'plans',
  'src/web/catalogs.ts': 'catalogs',
};

/** What the browser's build is made of; each file stands alone. */
const webEntries = {
  extension: 'src/web/extension.ts',
  worker: 'src/web/worker.ts',
  ...Object.fromEntries(Object.entries(webChunks).map(([file, name]) => [name, file])),
};

/** For browsers without a machine, such as vscode.dev: no Node module may be left in it. */
const web = name => ({
  ...common,
  platform: 'browser',
  target: 'chrome128',
  entryPoints: { [name]: webEntries[name] },
  outdir: join(dist, 'web'),
  external: ['vscode', 'headroom-chunks'],
  define: { 'process.env': '{}' },
  banner: {},
  metafile: true,
  plugins: [inBrowser(webChunks, { isEntry: name === 'extension' }), dialectFiles],
});

/** The panel's page: one script and one style sheet, in a browser. */
const page = {
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'chrome128',
  entryPoints: { panel: 'webview/main.ts', 'panel-style': 'webview/panel.css' },
  outdir: join(dist, 'webview'),
  sourcemap: production ? false : 'linked',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** Plain modules of this repository stay in place, because they know their folder. */
const plainModules = {
  name: 'plain modules',
  setup(build) {
    build.onResolve({ filter: /^\..*\.mjs$/ }, args => ({
      path: pathToFileURL(resolve(args.resolveDir, args.path)).href,
      external: true,
    }));
  },
};

const testing = {
  ...common,
  minify: false,
  sourcemap: 'inline',
  outdir: 'out/test',
  outbase: 'test',
  external: ['vscode', 'mocha', 'esbuild', 'playwright-core', 'typescript', 'onnxruntime-node'],
};

const isChosen = file => testFolders === null || testFolders.includes(file.split(sep)[1]);
const isHosted = file => file.startsWith(join('test', 'host'));

/** Tests in the extension host, and the measuring tools (*.tool.ts), each as a separate bundle. */
function tested() {
  const hosted = filesBelow(join('test', 'host'), '.test.ts', 'index.ts');
  const tools = filesBelow('test', '.tool.ts');
  const entryPoints = [
    ...hosted,
    ...tools,
    ...filesBelow(join('test', 'webview'), 'harness.ts', 'theScenes.ts'),
  ];
  return { ...testing, entryPoints, plugins: [asChunks, dialectFiles] };
}

/** All other suites: modules that share their common code, which is most of the project. */
function suites() {
  return {
    ...testing,
    // In a separate file, which is read only for a failed test.
    sourcemap: 'linked',
    entryPoints: [
      ...filesBelow('test', '.test.ts').filter(file => !isHosted(file)),
      ...filesBelow(join('test', 'ui'), '.ui.ts', 'window.ts'),
    ].filter(isChosen),
    plugins: [plainModules, dialectFiles],
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[hash]',
    outExtension: { '.js': '.mjs' },
    define: {},
    // Libraries written as CommonJS require Node's modules.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  };
}

function copyData() {
  rmSync(join(dist, 'data'), { recursive: true, force: true });
  for (const file of filesBelow('src/core/data', '.json')) {
    const to = join(dist, 'data', file.slice(join('src/core/data/').length));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(file, to);
  }
}

/** The code for the user's Python ships unchanged. */
function copyPython() {
  const to = join(dist, 'python');
  rmSync(to, { recursive: true, force: true });
  for (const file of filesBelow('src/python', '.py')) {
    const target = join(to, file.slice(join('src/python/').length));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target);
  }
}

// Otherwise tests that were deleted from the sources would keep running.
if (testsFlag) rmSync('out/test', { recursive: true, force: true });
writeRegistries();
if (!testsFlag && !only) {
  // It needs the compiler, which takes a second to load. A test reports stale texts.
  const { writeL10n } = await import('./scripts/l10n.mjs');
  writeL10n();
}
copyData();
copyPython();
const testJobs = testFolders ? [suites()] : [tested(), suites()];
const inBrowsers = Object.keys(webEntries).map(web);
const jobs = [
  ...shipped(),
  ...(testFolders || only ? [] : [page, ...inBrowsers]),
  ...(testsFlag ? testJobs : []),
];
if (flags.has('--watch')) {
  for (const job of jobs) await (await esbuild.context(job)).watch();
} else {
  // esbuild has already printed its errors when this rejects: its stack adds nothing.
  const built = await Promise.all(jobs.map(job => esbuild.build({ ...job, metafile: true }))).catch(() =>
    process.exit(1),
  );
  if (packagesFile !== undefined) writeFileSync(packagesFile, JSON.stringify(bundledPackages(built)));
}
