// npm run package: builds for release and packs dist/<name>-<platform>-<version>.vsix for this machine, with the
// embedding engine and its model.
//   --universal: instead dist/<name>-<version>.vsix, which is small and runs on every platform
//   --web: also dist/<name>-web-<version>.vsix, for browsers without a machine behind them
//   --all: the universal package, that for browsers, and those of all platforms
//   --repository=URL: the address for the manifest, otherwise that of the job on GitHub or of the clone's remote
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from './lib/build.mjs';
import { copyEngine, copyModel, engineParts, platforms, thisPlatform } from './lib/engine.mjs';
import { deadLinks, descriptionOf, extensionPage } from './lib/marketplace.mjs';
import { noticesOf } from './lib/notices.mjs';
import { manifestHere } from './lib/repository.mjs';
import { root } from './lib/root.mjs';
import { temporaryFolder } from './lib/temporary.mjs';

const KB = 1000;
/** Limits for the code that VS Code loads for other files, and for the packages' download sizes. */
const limits = { stranger: 150 * KB, package: 3000 * KB, withEngine: 60_000 * KB };

const required = [
  ...['package.json', 'package.nls.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'media/icon.png'],
  'THIRD_PARTY_NOTICES.txt',
  'l10n/bundle.l10n.zh-cn.json',
  ...[
    'dist/extension.js',
    'dist/analysis.js',
    'dist/reading.js',
    'dist/worker.js',
    'dist/cli.js',
    'dist/program.js',
    'dist/shared-1.js',
  ],
  ...[
    'dist/panel.js',
    'dist/jobs.js',
    'dist/tasks.js',
    'dist/plans.js',
    'dist/profiling.js',
    'dist/keeper.js',
    'dist/toolServer.js',
    'dist/webview/panel.js',
    'dist/webview/panel-style.css',
    'media/panel.svg',
  ],
  ...['dist/data/models.json', 'dist/data/gpus.json', 'dist/python/start.py'],
  ...['dist/embed.js', 'dist/embedWorker.js'],
];
const allowed = [
  /^(package(\.nls(\.[\w-]+)?)?\.json|l10n\/bundle\.l10n\.[\w-]+\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD_PARTY_NOTICES\.txt)$/,
  /^dist\/[\w-]+\.js$/,
  /^dist\/data\/[\w./-]+\.json$/,
  /^dist\/python\/[\w/]+\.py$/,
  /^dist\/webview\/panel(-style)?\.(js|css)$/,
  /^docs\/(dialects|rules\/[\w-]+)\.md$/,
  /^media\/(icon\.png|panel\.svg|dialect\.schema\.json|walkthrough\/[\w-]+\.(md|svg))$/,
  /^media\/walkthrough\/examples\/[\w./-]+\.(yaml|json)$/,
];

/** What a browser loads: nothing that needs a machine. */
const requiredInBrowsers = [
  ...['package.json', 'package.nls.json', 'README.md', 'LICENSE', 'THIRD_PARTY_NOTICES.txt'],
  ...['dist/web/extension.js', 'dist/web/worker.js', 'dist/data/models.json', 'dist/data/gpus.json'],
];
const allowedInBrowsers = [
  ...allowed.filter(pattern => !`${pattern}`.includes('dist')),
  /^dist\/web\/[\w-]+\.js$/,
  /^dist\/data\/[\w./-]+\.json$/,
];

/**
 * Files next to the bundle in platform packages. The engine's own code is in all packages, because with Python it
 * runs everywhere.
 */
const engine = /^dist\/(node_modules\/(onnxruntime-(node|common)|tokenizers)|models\/all-MiniLM-L6-v2)\//;

/** The flaws of the list of files, as phrases. */
function flawsOf(files, isForBrowsers) {
  const [needed, patterns] = isForBrowsers ? [requiredInBrowsers, allowedInBrowsers] : [required, allowed];
  const missing = needed.filter(name => !files.includes(name)).map(name => `${name} is missing`);
  const stray = files.filter(name => !patterns.some(pattern => pattern.test(name)));
  return [...missing, ...stray.map(name => `${name} does not belong there`)];
}

function tooLarge(limit, ...files) {
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const names = files.map(file => basename(file)).join(' and ');
  return size > limit ? [`${names} has ${Math.ceil(size / KB)} kB, more than ${limit / KB}`] : [];
}

const manifest = manifestHere(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const { name, version } = manifest;
// In a separate folder, because a development build may be running from dist.
const { folder } = temporaryFolder('headroom-package');
const packagesFile = join(folder, 'packages.json');
await build({ production: true, dist: join(folder, 'dist'), packagesFile });
for (const part of [
  '.vscodeignore',
  ...readdirSync(root).filter(name => /^package\.nls\..*json$/.test(name)),
  'l10n',
  'CHANGELOG.md',
  'LICENSE',
  'docs',
  'media',
]) {
  if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true });
}
// Indented JSON is larger, also when it is compressed.
for (const file of [
  'media/dialect.schema.json',
  ...readdirSync(join(folder, 'l10n')).map(name => `l10n/${name}`),
]) {
  const path = join(folder, file);
  writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
}
const { browser, main, ...shared } = manifest;
const describeTo = described => writeFileSync(join(folder, 'package.json'), JSON.stringify(described));
describeTo({ main, ...shared });
const page = readFileSync(join(root, 'media/marketplace/README.md'), 'utf8');
writeFileSync(join(folder, 'README.md'), extensionPage(page, manifest));
const packages = JSON.parse(readFileSync(packagesFile, 'utf8'));
const texts = JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8'));

/** Adapts a package's description to its contents. */
function describe(hasEngine) {
  const notices = noticesOf(packages, hasEngine ? engineParts() : []);
  writeFileSync(join(folder, 'THIRD_PARTY_NOTICES.txt'), notices);
  const described = { ...texts, description: descriptionOf(texts.description, hasEngine) };
  writeFileSync(join(folder, 'package.nls.json'), JSON.stringify(described, null, 2));
}

// The packager gives each file of the archive this time: npm's own for its packages. Same sources, same bytes.
process.env.SOURCE_DATE_EPOCH ??= String(Date.UTC(1985, 9, 26, 8, 15) / 1000);
// Imported here, because on a fresh clone the build installs the packages first.
const { createVSIX, listFiles, PackageManager } = await import('@vscode/vsce');
/** Packs the folder; returns its flaws. */
async function pack(target, limit, platform) {
  const isForBrowsers = platform === 'web';
  describe(platform !== undefined && !isForBrowsers);
  const packagePath = join(root, 'dist', target);
  mkdirSync(dirname(packagePath), { recursive: true });
  const files = await listFiles({ cwd: folder, packageManager: PackageManager.None });
  // Without a repository, relative links have no target, so the page gets none.
  const links = { allowMissingRepository: true, rewriteRelativeLinks: Boolean(manifest.repository) };
  await createVSIX({
    cwd: folder,
    dependencies: false,
    packagePath,
    ...links,
    ...(platform && { target: platform }),
  });
  console.log(`dist/${target}: ${files.length} files, ${Math.ceil(statSync(packagePath).size / KB)} kB`);
  const read = file => readFileSync(join(folder, file), 'utf8');
  // With a repository the packager makes addresses of the page's links.
  const pages = files.filter(file => file !== 'README.md' || !manifest.repository);
  return [
    ...deadLinks(pages, read),
    ...flawsOf(platform ? files.filter(file => !engine.test(file)) : files, isForBrowsers),
    ...tooLarge(limit, packagePath),
  ];
}

const here = thisPlatform();
if (here === null) console.log('The engine has no library for this machine: this is the universal package.');
const all = process.argv.includes('--all');
const isUniversal = all || here === null || process.argv.includes('--universal');
const chosen = all ? Object.keys(platforms) : isUniversal ? [] : [here];

// A browser needs nothing of the other packages' code, and they nothing of its.
const [built, inBrowsers] = [join(folder, 'dist'), join(folder, 'browsers')];
mkdirSync(inBrowsers);
renameSync(join(built, 'web'), join(inBrowsers, 'web'));

/** Packs what browsers load. */
async function packForBrowsers() {
  const aside = join(folder, 'machines');
  cpSync(join(built, 'data'), join(inBrowsers, 'data'), { recursive: true });
  renameSync(built, aside);
  renameSync(inBrowsers, built);
  describeTo({ browser, ...shared });
  const found = await pack(`${name}-web-${version}.vsix`, limits.package, 'web');
  renameSync(built, inBrowsers);
  renameSync(aside, built);
  describeTo({ main, ...shared });
  return found;
}

const flaws = [
  ...tooLarge(limits.stranger, join(folder, 'dist/extension.js'), join(folder, 'dist/recognise.js')),
  ...tooLarge(limits.stranger, join(inBrowsers, 'web/extension.js'), join(inBrowsers, 'web/recognise.js')),
];
if (all || process.argv.includes('--web')) flaws.push(...(await packForBrowsers()));
if (isUniversal) flaws.push(...(await pack(`${name}-${version}.vsix`, limits.package)));
if (chosen.length > 0) await copyModel(join(folder, 'dist'));
for (const platform of chosen) {
  rmSync(join(folder, 'dist/node_modules'), { recursive: true, force: true });
  copyEngine(platform, join(folder, 'dist'));
  flaws.push(...(await pack(`${name}-${platform}-${version}.vsix`, limits.withEngine, platform)));
}
for (const flaw of flaws) console.error(`The package is not fit to ship: ${flaw}.`);
if (flaws.length > 0) process.exit(1);
