import assert from 'node:assert/strict';
import ts from 'typescript';
import { frameworkProfiles } from '../../src/core/memory/frameworks/registry';
import { frameworkIds } from '../../src/core/spec/frameworkId';
import { nodes, sources } from './sources';

const ids: ReadonlySet<string> = new Set(frameworkProfiles.map(({ id }) => id));

/**
 * Names with another meaning: transformers is a library whose device map code differs from accelerate's, and
 * ultralytics a model type.
 */
const OTHERS: ReadonlySet<string> = new Set(['transformers', 'ultralytics']);

function namesIn(tree: ts.Node): readonly string[] {
  const literals = [...nodes(tree)].filter(node => ts.isStringLiteralLike(node)).map(({ text }) => text);
  return literals.filter(text => ids.has(text) && !OTHERS.has(text));
}

describe('framework names in the memory model', () => {
  it('appear only in profiles: a condition on a name belongs there, as a field', () => {
    const files = sources('src/core/memory').filter(({ path }) => !path.includes('/frameworks/'));
    assert.ok(files.length > 100);
    const named = files.flatMap(({ path, tree }) => namesIn(tree).map(name => `${path}: ${name}`));
    assert.deepEqual(named, []);
  });

  it('have exactly one profile per id', () => {
    const profiled: readonly string[] = frameworkProfiles.map(({ id }) => id);
    assert.deepEqual(profiled.toSorted(), frameworkIds.toSorted());
  });
});
