import assert from 'node:assert/strict';
import { bindNames, circleOf } from '../../../scripts/lib/boundNames.mjs';

describe('names that bundles share', () => {
  it('are bound once, on as many lines as before', () => {
    const code =
      'import {\n  a,\n  b as c$\n} from "./shared-1.js";\nimport "./shared-2.js";\nvar d = c$(a);\n';
    const bound =
      'const { a: a, b: c$ } = require("./shared-1.js");\n\n\n\nimport "./shared-2.js";\nvar d = c$(a);\n';
    assert.equal(bindNames(code), bound);
    assert.equal(
      bindNames(`${code}export {\n  d,\n  e as f\n};\n//# map`),
      `${bound}module.exports = { d: d, f: e };\n//# map`,
    );
  });

  it('are bound in minified code, too; modules of Node stay', () => {
    const code =
      'import{a as b}from"./shared-1.js";import{join as j}from"node:path";var x=j(b);export{x as y};\n';
    assert.equal(
      bindNames(code),
      'const { a: b } = require("./shared-1.js");import{join as j}from"node:path";var x=j(b);module.exports = { y: x };\n',
    );
  });

  it('come from files that do not import themselves through others', () => {
    const importing = (name: string): string => `import{a}from"./${name}";\n`;
    const codes = new Map([
      ['program.js', importing('shared-1.js')],
      ['shared-1.js', `import "./shared-2.js";\n`],
      ['shared-2.js', importing('shared-3.js')],
      ['shared-3.js', ''],
    ]);
    assert.equal(circleOf(codes), null);
    codes.set('shared-3.js', importing('shared-1.js'));
    assert.equal(circleOf(codes), 'shared-1.js');
  });
});
