// Third-party code in every package: names and license texts for THIRD_PARTY_NOTICES.txt.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const modules = join(root, 'node_modules');
const LINE = `\n${'-'.repeat(80)}\n\n`;

const INTRODUCTION = `Third-party software in Headroom

Headroom is under the MIT license (LICENSE.txt). It contains the software below, each under its own license.
`;

/** The MIT license, for packages that name it but ship no copy. */
const mit = holder => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** The license texts that a package ships. Throws if there are none: unlicensed code must not ship. */
export function licenseOf(folder) {
  const files = readdirSync(join(modules, folder)).filter(name =>
    /^(licen[cs]e|notices?|copying)\b/i.test(name),
  );
  if (files.length > 0) {
    return files.map(name => readFileSync(join(modules, folder, name), 'utf8').trim()).join('\n\n');
  }
  const { license, author } = manifestOf(folder);
  const holder = typeof author === 'string' ? author : author?.name;
  if (license === 'MIT' && holder) return mit(holder);
  throw new Error(`${folder} ships no license (package.json says ${license}): it cannot be packed.`);
}

const manifestOf = folder => JSON.parse(readFileSync(join(modules, folder, 'package.json'), 'utf8'));

function bundled(folder) {
  const { name, version, license } = manifestOf(folder);
  return `${name} ${version} (${license})\n\n${licenseOf(folder)}\n`;
}

/** For parts next to the bundle in platform packages, whose license texts are next to them. */
const beside = ({ name, license, folder }) => `${name} (${license})\n\nThe texts are in dist/${folder}.\n`;

/** The notices for packages, given by their folders below node_modules, and for parts that ship their own texts. */
export const noticesOf = (folders, parts = []) =>
  [INTRODUCTION, ...parts.map(beside), ...folders.map(bundled)].join(LINE);
