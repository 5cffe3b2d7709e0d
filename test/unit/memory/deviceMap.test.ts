import assert from 'node:assert/strict';
import { assigned } from '../../../src/core/memory/placement/assign';
import { architectures } from '../../../src/core/memory/architectures/registry';
import { balancedRooms } from '../../../src/core/memory/placement/balance';
import type { Strategy } from '../../../src/core/memory/placement/balance';
import { isWithin, layersOf } from '../../../src/core/memory/placement/module';
import { outlineOf } from '../../../src/core/memory/placement/outline';
import { treeOf as layersTree } from '../../../src/core/memory/placement/tree';
import type { Assigned, Device, PlacedModule, Room } from '../../../src/core/memory/placement/module';
import { fixture, memoryRun, modelOf } from './support';

/** A module of the fixture: identical layers are written once. */
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
    /** If accelerate's own code gives a different result from transformers'. */
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

/** The place of each layer in turn, written when it changes. */
function placesOf(root: PlacedModule, placed: readonly Assigned[]): readonly Place[] {
  const places: [string, Device][] = [];
  for (const { name } of layersOf(root)) {
    const found = placed.find(({ module }) => isWithin(name, module.name));
    assert.ok(found, name);
    if (places.at(-1)?.[1] !== found.device) places.push([name, found.device]);
  }
  return places;
}

/** Bytes on each device, in the order in which the devices are filled. */
function bytesOn(root: PlacedModule, maxMemory: Mapped['cases'][number]['maxMemory']): readonly number[] {
  const rooms: readonly Room[] = maxMemory.map(([device, bytes]) => ({ device, bytes }));
  const how = { strategy: 'auto', given: true, code: 'transformers' } as const;
  const placed = assigned(root, balancedRooms(root, rooms, how));
  return rooms.map(({ device }) =>
    placed.filter(one => one.device === device).reduce((sum, { module }) => sum + module.bytes, 0),
  );
}

describe('device maps', () => {
  for (const { model, tree, cases } of models.filter(one => 'model_type' in one.config)) {
    const [root] = treeOf(tree);
    assert.ok(root);
    for (const code of ['transformers', 'accelerate'] as const) {
      it(`places ${model} as ${code} does`, () => {
        for (const { strategy, maxMemory, map, accelerate = map } of cases) {
          const rooms: readonly Room[] = maxMemory.map(([device, bytes]) => ({ device, bytes }));
          const balanced = balancedRooms(root, rooms, { strategy, given: true, code });
          const places = placesOf(root, assigned(root, balanced));
          assert.deepEqual(
            places,
            code === 'accelerate' ? accelerate : map,
            `${strategy} ${JSON.stringify(maxMemory)}`,
          );
        }
      });
    }
  }

  const guide = models.at(-1);
  const [vision] = guide ? treeOf(guide.tree) : [];
  const GB = 1e9;

  it('spreads Llama 3.2 Vision over two cards of 20 GB as evenly as the guide says: 10 GB each, give or take 7 %', () => {
    assert.ok(vision);
    const each = bytesOn(vision, [
      [0, 20 * GB],
      [1, 20 * GB],
    ]);
    assert.deepEqual(each, [10629906994, 10710535188]);
  });

  it('leaves less on a card of 14 GB than the guide says: room for the largest offloaded module stays free', () => {
    assert.ok(vision);
    const [gpu = 0, host = 0] = bytesOn(vision, [
      [0, 14 * GB],
      ['cpu', 20 * GB],
    ]);
    assert.deepEqual([gpu, host], [12811027510, 8529414672]);
    assert.ok(gpu < 14 * GB && host > 6 * GB);
  });

  it('needs no second device where one of 24 GB has room', () => {
    assert.ok(vision);
    assert.deepEqual(
      bytesOn(vision, [
        [0, 24 * GB],
        ['cpu', 20 * GB],
      ]),
      [21340442182, 0],
    );
  });
});

/** For these, every module matches, including norms and rotation tables. */
const TO_THE_BYTE = new Set(['llama-7b', 'llama-3.2-1b', 'qwen2-7b', 'mistral-7b-fp32', 'mixtral-8x7b']);

describe('modules of a model', () => {
  const layer = /\.\d+$/;
  for (const { model, config, tree, total } of models.filter(one => 'model_type' in one.config)) {
    it(`are those of ${model}`, () => {
      const facts = modelOf(config);
      const architecture = architectures.find(({ modelTypes }) => modelTypes.includes(facts.modelType));
      const [root] = treeOf(tree);
      assert.ok(architecture && root);
      const weightDtype = ({ bfloat16: 'bf16', float16: 'fp16', float32: 'fp32' } as const)[facts.dtype!];
      const run = memoryRun({ model: facts, task: 'infer', weightDtype, optimizer: null });
      const made = layersTree(outlineOf(architecture, run), facts).root;
      const told = (module: PlacedModule): readonly (readonly [string, number])[] =>
        layersOf(module)
          .filter(({ name, bytes }) => bytes > 0 && (TO_THE_BYTE.has(model) || layer.test(name)))
          .map(({ name, bytes }) => [name, bytes]);
      assert.deepEqual(told(made), told(root));
      assert.ok(Math.abs(made.bytes / total - 1) < 1e-3, `${made.bytes} ${total}`);
    });
  }
});
