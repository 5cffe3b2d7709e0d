import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages } from '../../../scripts/lib/bundledPackages.mjs';
import { copyEngine, engineParts } from '../../../scripts/lib/engine.mjs';
import { deadLinks, descriptionOf, extensionPage } from '../../../scripts/lib/marketplace.mjs';
import { licenseOf, noticesOf } from '../../../scripts/lib/notices.mjs';
import { root } from '../../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../../scripts/lib/temporary.mjs';

const page = readFileSync(join(root, 'media/marketplace/README.md'), 'utf8');
const withoutRepository = extensionPage(page, {});

describe('notices of what others wrote', () => {
  it('name each package whose code is in a bundle, also one inside of another', () => {
    const inputs = {
      'node_modules/yaml/dist/index.js': { bytesInOutput: 10 },
      '../main/node_modules/@a/b/node_modules/tslib/x.js': { bytesInOutput: 10 },
      'node_modules/unused/index.js': { bytesInOutput: 0 },
      'src/cli/main.ts': { bytesInOutput: 10 },
    };
    const results = [{ metafile: { outputs: { 'dist/program.js': { inputs } } } }];
    assert.deepEqual(bundledPackages(results), ['@a/b/node_modules/tslib', 'yaml']);
  });

  it('hold the text of the license, also where a package names one and ships no copy', () => {
    assert.match(licenseOf('yaml'), /Eemeli Aro[^]*THE SOFTWARE IS PROVIDED "AS IS"/);
    assert.match(licenseOf('@microsoft/fast-element'), /^MIT License\n\nCopyright \(c\) Microsoft\n/);
    const notices = noticesOf(['yaml', 'pbf'], engineParts());
    assert.match(notices, /^yaml [\d.]+ \(ISC\)$/m);
    assert.match(notices, /^pbf [\d.]+ \(BSD-3-Clause\)\n\n[^]*Redistribution and use in source/m);
    for (const part of ['onnxruntime', 'tokenizers', 'all-MiniLM-L6-v2']) {
      assert.match(notices, new RegExp(`^${part}`, 'm'));
    }
  });

  it('lie beside the libraries of the engine', function beside() {
    this.timeout(20_000);
    const { folder, remove } = temporaryFolder('headroom-engine');
    mkdirSync(join(folder, 'models/all-MiniLM-L6-v2'), { recursive: true });
    writeFileSync(join(folder, 'models/all-MiniLM-L6-v2/LICENSE'), 'Apache License');
    copyEngine('linux-x64', folder);
    const text = (name: string): string => readFileSync(join(folder, 'node_modules', name), 'utf8');
    assert.ok(
      existsSync(join(folder, 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1')),
    );
    assert.match(text('onnxruntime-node/LICENSE'), /MIT License[^]*Microsoft Corporation/);
    assert.match(text('onnxruntime-common/LICENSE'), /MIT License[^]*Microsoft Corporation/);
    assert.match(text('onnxruntime-node/ThirdPartyNotices.txt'), /protocolbuffers\/protobuf/);
    assert.match(text('tokenizers/LICENSE-APACHE'), /Apache License/);
    remove();
  });
});

describe('the page of the extension', () => {
  it('has no picture that VS Code would show as broken, and pictures by address once there is a repository', () => {
    assert.doesNotMatch(withoutRepository, /!\[|<img|<svg/);
    assert.equal(withoutRepository.match(/^```text$/gm)?.length, 2);
    const pictures = [
      ...extensionPage(page, { repository: 'https://example.com' }).matchAll(/!\[.+\]\((.+)\)/g),
    ];
    assert.equal(pictures.length, 2);
    for (const [, path = ''] of pictures) assert.ok(existsSync(join(root, path)), path);
  });

  it('has links into itself or the web only, and no command of a developer', () => {
    const links = [...withoutRepository.matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => link);
    assert.deepEqual(
      links.filter(link => !/^(?:https:\/\/|#)/.test(link)),
      [],
    );
    assert.doesNotMatch(withoutRepository, /\bnpm\b|\bnode \S|\.mjs/);
  });

  it('and each page beside it lead to files that ship and to headings that are there', () => {
    const pages: Readonly<Record<string, string>> = {
      'docs/rules/a.md':
        '[b](b.md) [web](https://a.b/c.md) [c](../c.md#first-part) [no](../c.md#none) [d](d.md)',
      'docs/rules/b.md': '```md\n[code](x.md)\n```\n[own](#own-part)\n\n## Own part',
      'docs/c.md': '# The `first` part\n\n## First part',
    };
    const files = [...Object.keys(pages), 'dist/a.js'];
    assert.deepEqual(
      deadLinks(files, name => pages[name] ?? ''),
      ['docs/rules/a.md links to ../c.md#none', 'docs/rules/a.md links to d.md'],
    );
  });

  it('has tables that are whole', () => {
    const lines = withoutRepository.split('\n');
    lines.forEach((line, i) => {
      if (!line.startsWith('|')) return;
      const isHead = !lines[i - 1]?.startsWith('|');
      if (isHead) assert.match(lines[i + 1] ?? '', /^\|(?: *-+ *\|)+$/, line);
      const cells = (text = ''): number => text.split('|').length;
      if (!isHead) assert.equal(cells(line), cells(lines[i - 1]), line);
    });
  });

  it('says what the size of a package is for', () => {
    assert.equal(descriptionOf('It fits.', false), 'It fits.');
    assert.match(descriptionOf('It fits.', true), /engine and a model that work offline/);
    assert.match(withoutRepository, /To embed\s+without Python, install the package for your platform/);
  });
});
