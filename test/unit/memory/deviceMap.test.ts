import assert from 'node:assert/strict';
import { assigned } from '../../../src/core/memory/placement/assign';
import { balancedRooms } from '../../../src/core/memory/placement/balance';
import type { Strategy } from '../../../src/core/memory/placement/balance';
import { isWithin, layersOf } from '../../../src/core/memory/placement/module';
import type { Assigned, Device, PlacedModule, Room } from '../../../src/core/memory/placement/module';
import { fixture } from './support';

/** A module of the fixture: layers that are alike are written once. */
interface Written {
  readonly name: string;
  readonly bytes: number;
  readonly children?: readonly Written[];
  readonly whole?: boolean;
  readonly tensor?: boolean;
  readonly tiedTo?: string;
  readonly times?: number;
}

type Place = readonly [first: string, device: Device];

interface Mapped {
  readonly model: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly total: number;
  readonly tree: Written;
  readonly cases: readonly {
    readonly strategy: Strategy;
    readonly maxMemory: readonly (readonly [Device, number])[];
    readonly map: readonly Place[];
    /** Where accelerate's own code says something else than transformers'. */
    readonly accelerate?: readonly Place[];
  }[];
}

const models = fixture('deviceMaps') as readonly Mapped[];

function treeOf({ times = 1, children = [], whole = false, ...written }: Written): readonly PlacedModule[] {
  const inner = children.flatMap(treeOf);
  return Array.from({ length: times }, (_, i) => {
    const name = times > 1 ? written.name.replace(/\d+$/, first => String(Number(first) + i)) : written.name;
    return { ...written, name, whole, children: inner };
  });
}

/** Where each layer in turn lies, written when it changes. */
function placesOf(root: PlacedModule, placed: readonly Assigned[]): readonly Place[] {
  const places: [string, Device][] = [];
  for (const { name } of layersOf(root)) {
    const found = placed.find(({ module }) => isWithin(name, module.name));
    assert.ok(found, name);
    if (places.at(-1)?.[1] !== found.device) places.push([name, found.device]);
  }
  return places;
}

describe('device maps', () => {
  for (const { model, tree, cases } of models) {
    const [root] = treeOf(tree);
    assert.ok(root);
    for (const code of ['transformers', 'accelerate'] as const) {
      it(`places ${model} as ${code} does`, () => {
        for (const { strategy, maxMemory, map, accelerate = map } of cases) {
          const rooms: readonly Room[] = maxMemory.map(([device, bytes]) => ({ device, bytes }));
          const balanced = balancedRooms(root, rooms, { strategy, given: true, code });
          const places = placesOf(root, assigned(root, balanced));
          assert.deepEqual(places, code === 'accelerate' ? accelerate : map, `${strategy} ${JSON.stringify(maxMemory)}`);
        }
      });
    }
  }
});
