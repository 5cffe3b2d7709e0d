// A platform package's contents next to the bundle: the embedding engine's libraries and the default model.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';

/**
 * Platforms with a library of onnxruntime, and tokenizers' names for them. All others get the package without the
 * engine.
 */
export const platforms = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'win32-x64': 'win32-x64-msvc',
  'win32-arm64': 'win32-arm64-msvc',
  'darwin-arm64': 'darwin-arm64',
};

/** The platform of this machine, or null if the engine has no library for it (Intel Macs). */
export const thisPlatform = () => {
  const platform = `${process.platform}-${process.arch}`;
  return platform in platforms ? platform : null;
};

const versionOf = name =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;

/** Third-party parts next to the bundle in a package with the engine, for the notices. */
export const engineParts = () => [
  {
    name: `onnxruntime ${versionOf('onnxruntime-node')}`,
    license: 'MIT',
    folder: 'node_modules/onnxruntime-node/LICENSE and ThirdPartyNotices.txt',
  },
  {
    name: `tokenizers ${versionOf('tokenizers')}`,
    license: 'Apache-2.0; its bindings MIT',
    folder: 'node_modules/tokenizers/LICENSE-APACHE and LICENSE',
  },
  { name: 'all-MiniLM-L6-v2', license: 'Apache-2.0', folder: 'models/all-MiniLM-L6-v2/LICENSE' },
];

/** macOS has a second copy of the library, named with its full version. */
const isTwice = name => /^libonnxruntime\.\d+\.\d+\.\d+\.dylib$/.test(name);

const modules = join(root, 'node_modules');

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true });
}

/** Copies a package's JavaScript, without maps and types. */
function copyScripts(name, part, to) {
  const folder = join(modules, name, part);
  for (const file of readdirSync(folder, { recursive: true })) {
    if (file.endsWith('.js') || file.endsWith('package.json')) {
      copy(join(folder, file), join(to, name, part, file));
    }
  }
  for (const file of ['package.json', 'LICENSE']) {
    if (existsSync(join(modules, name, file))) copy(join(modules, name, file), join(to, name, file));
  }
}

/** onnxruntime's npm packages contain no license: these texts are from the same release for Python. */
function copyRuntimeLicenses(to) {
  const texts = join(root, 'scripts/licenses', `onnxruntime-${versionOf('onnxruntime-node')}`);
  if (!existsSync(texts)) {
    throw new Error(`${texts} is missing: put LICENSE and ThirdPartyNotices.txt of that release there.`);
  }
  copy(texts, join(to, 'onnxruntime-node'));
  copy(join(texts, 'LICENSE'), join(to, 'onnxruntime-common/LICENSE'));
}

/** Puts a platform's engine with all licenses into a `dist` folder that has the model. */
export function copyEngine(platform, dist) {
  const to = join(dist, 'node_modules');
  const [os, arch] = platform.split('-');
  copyScripts('onnxruntime-node', 'dist', to);
  copyScripts('onnxruntime-common', 'dist/cjs', to);
  const libraries = `onnxruntime-node/bin/napi-v6/${os}/${arch}`;
  for (const name of readdirSync(join(modules, libraries))) {
    if (!isTwice(name)) copy(join(modules, libraries, name), join(to, libraries, name));
  }
  for (const name of ['package.json', 'index.js', 'LICENSE', `tokenizers.${platforms[platform]}.node`]) {
    copy(join(modules, 'tokenizers', name), join(to, 'tokenizers', name));
  }
  copyRuntimeLicenses(to);
  // Its package names Apache-2.0 but ships only the text of its bindings; the model has the same license.
  copy(join(dist, 'models/all-MiniLM-L6-v2/LICENSE'), join(to, 'tokenizers/LICENSE-APACHE'));
}

/** Puts the default model into a `dist` folder, using the packed program. Throws if it is unavailable. */
export async function copyModel(dist) {
  const { embedding } = createRequire(import.meta.url)(join(dist, 'embed.js'));
  const report = sentence => process.stderr.write(`${sentence}\n`);
  const folder = await embedding.defaultModelFolder({ shipped: join(dist, 'no-model'), report });
  copy(folder, join(dist, 'models', embedding.DEFAULT_MODEL.name));
}
