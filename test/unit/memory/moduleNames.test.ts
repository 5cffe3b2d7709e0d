import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { treeOf } from '../../../src/core/memory/placement/tree';
import type { Piece } from '../../../src/core/memory/placement/outline';
import type { ModelFacts, ModelKind } from '../../../src/core/models/model';

interface Known {
  readonly source: string;
  readonly types: Readonly<Record<string, { readonly class: string; readonly modules: readonly string[] }>>;
}

/** The module names of transformers' models. */
const known = JSON.parse(readFileSync('test/fixtures/memory/moduleNames.json', 'utf8')) as Known;

const piece = (name: string): Piece => ({
  name,
  isLayer: name === 'layer',
  bytes: 1,
  counted: 1,
  adapters: 0,
  largest: 1,
});

/** The tape's pieces for a family: a tower before the word embeddings, two lists of layers, or one. */
function piecesOf(modules: readonly string[]): readonly Piece[] {
  const sees = modules.some(name => /vision|visual/.test(name));
  const translates = modules.some(name => /(?:^|\.)encoder\.(?:block|layers)$/.test(name)) && !sees;
  const layers = ['layer', 'layer'];
  const sight = sees ? [...layers, 'norm', 'layer'] : [];
  const table = translates ? 'shared' : 'embed_tokens';
  const first = translates ? [...layers, 'norm'] : [];
  return [...sight, table, ...first, ...layers, 'norm'].map(piece);
}

describe('names of modules', () => {
  for (const [modelType, { class: name, modules }] of Object.entries(known.types)) {
    it(`of ${modelType} are those of ${name}`, () => {
      const kind: ModelKind = modules.some(module => module.endsWith('encoder.layer'))
        ? 'encoder'
        : 'decoder';
      const model = { modelType, kind, extra: {} } as unknown as ModelFacts;
      const isEncoder = kind === 'encoder' && !modules.some(module => module.includes('vision'));
      const pieces = isEncoder ? ['embed_tokens', 'layer', 'layer'].map(piece) : piecesOf(modules);
      const { leaves } = treeOf(pieces, isEncoder ? model : { ...model, kind: 'decoder' });
      const names = leaves.map(({ module }) => module.name.replace(/\.\d+$/, ''));
      assert.deepEqual(
        [...new Set(names)].filter(one => !one.endsWith('.') && !modules.includes(one)),
        [],
      );
      assert.ok(leaves.some(({ module }) => module.name.endsWith('.1')));
    });
  }

  it('have every module once, below the module that it is in', () => {
    const { root, leaves } = treeOf(piecesOf(known.types['mllama']?.modules ?? []), {
      modelType: 'mllama',
      kind: 'decoder',
      extra: {},
    } as unknown as ModelFacts);
    assert.deepEqual(
      root.children.map(({ name }) => name),
      ['model'],
    );
    assert.equal(root.bytes, leaves.length);
    assert.equal(new Set(leaves.map(({ module }) => module.name)).size, leaves.length);
  });
});
