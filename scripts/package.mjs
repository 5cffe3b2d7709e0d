// npm run package: builds for release and packs dist/<name>-<version>.vsix, which serves every platform, and with
// --platforms dist/<name>-<platform>-<version>.vsix, which have the embedding engine and its model in them.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from './lib/build.mjs';
import { copyEngine, copyModel, platforms } from './lib/engine.mjs';
import { root } from './lib/root.mjs';
import { temporaryFolder } from './lib/temporary.mjs';

const KB = 1000;
/** DESIGN §7 for the extension's own bundle; the package as a whole stays a quick download. */
const limits = { extension: 250 * KB, package: 2000 * KB, withEngine: 60_000 * KB };

const required = [
  ...['package.json', 'package.nls.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'media/icon.png'],
  'l10n/bundle.l10n.json',
  ...[
    'dist/extension.js',
    'dist/analysis.js',
    'dist/worker.js',
    'dist/cli.js',
    'dist/program.js',
    'dist/shared-1.js',
  ],
  ...[
    'dist/panel.js',
    'dist/jobs.js',
    'dist/tasks.js',
    'dist/keeper.js',
    'dist/webview/panel.js',
    'dist/webview/panel-style.css',
    'media/panel.svg',
  ],
  ...['dist/data/models.json', 'dist/data/gpus.json', 'dist/python/start.py'],
  ...['dist/embed.js', 'dist/embedWorker.js'],
];
const allowed = [
  /^(package(\.nls)?\.json|l10n\/bundle\.l10n(\.[\w-]+)?\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/[\w-]+\.js$/,
  /^dist\/data\/[\w./-]+\.json$/,
  /^dist\/python\/[\w/]+\.py$/,
  /^dist\/webview\/panel(-style)?\.(js|css)$/,
  /^docs\/rules\/[\w-]+\.md$/,
  /^media\/(icon\.png|panel\.svg|dialect\.schema\.json|readme\/[\w-]+\.png|walkthrough\/[\w-]+\.(md|svg))$/,
  /^media\/walkthrough\/examples\/[\w./-]+\.(yaml|json)$/,
];

/** Beside the bundle, in the packages of one platform. The engine's own code ships in all: with Python it runs everywhere. */
const engine = /^dist\/(node_modules\/(onnxruntime-(node|common)|tokenizers)|models\/all-MiniLM-L6-v2)\//;

/** What is wrong with the list of files, one phrase each. */
function flawsOf(files) {
  const missing = required.filter(name => !files.includes(name)).map(name => `${name} is missing`);
  const stray = files.filter(name => !allowed.some(pattern => pattern.test(name)));
  return [...missing, ...stray.map(name => `${name} does not belong there`)];
}

function tooLarge(file, limit) {
  const { size } = statSync(file);
  return size > limit ? [`${basename(file)} has ${Math.ceil(size / KB)} kB, more than ${limit / KB}`] : [];
}

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// In a folder of its own: a development build may be running from dist.
const { folder } = temporaryFolder('headroom-package');
await build({ production: true, dist: join(folder, 'dist') });
for (const part of [
  '.vscodeignore',
  'package.json',
  'package.nls.json',
  'l10n',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'docs',
  'media',
]) {
  if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true });
}
// Only now: on a fresh clone it is the build that installs the packages.
const { createVSIX, listFiles, PackageManager } = await import('@vscode/vsce');
/** Packs the folder; returns what is wrong with it. */
async function pack(target, limit, platform) {
  const packagePath = join(root, 'dist', target);
  mkdirSync(dirname(packagePath), { recursive: true });
  const files = await listFiles({ cwd: folder, packageManager: PackageManager.None });
  // Links stay relative: what they lead to ships, or is in the repository.
  const links = { allowMissingRepository: true, rewriteRelativeLinks: false };
  await createVSIX({
    cwd: folder,
    dependencies: false,
    packagePath,
    ...links,
    ...(platform && { target: platform }),
  });
  console.log(`dist/${target}: ${files.length} files, ${Math.ceil(statSync(packagePath).size / KB)} kB`);
  return [
    ...flawsOf(platform ? files.filter(file => !engine.test(file)) : files),
    ...tooLarge(packagePath, limit),
  ];
}

const flaws = [
  ...(await pack(`${name}-${version}.vsix`, limits.package)),
  ...tooLarge(join(folder, 'dist/extension.js'), limits.extension),
];
if (process.argv.includes('--platforms')) {
  await copyModel(join(folder, 'dist'));
  for (const platform of Object.keys(platforms)) {
    rmSync(join(folder, 'dist/node_modules'), { recursive: true, force: true });
    copyEngine(platform, join(folder, 'dist'));
    flaws.push(...(await pack(`${name}-${platform}-${version}.vsix`, limits.withEngine, platform)));
  }
}
for (const flaw of flaws) console.error(`The package is not fit to ship: ${flaw}.`);
if (flaws.length > 0) process.exit(1);
