import { scalarsOf } from '../../spec/scalarKeys';
import type { ScalarKey } from '../../spec/scalarKeys';
import type { Remedy, RemedyOption } from '../remedy';
import { GIB } from '../../units';
import type { Say } from '../../text/say';
import { template } from '../../text/say';

const MOST = 6;
const ROOM = /(?:^|\.)max_memory\.\d+$/;

/** Limits for the weights that a device map puts on each GPU; the rest goes elsewhere. */
export const mapRooms: Remedy = {
  id: 'map-rooms',
  label: template('the memory limits of a device map'),
  outsideSpeedModel: true,
  sources: [
    'device-map guide: 2 to 4 GB of each GPU are reserved',
    'accelerate docs, "Big Model Inference": max_memory leaves room for activations',
  ],
  less: ({ run, estimate, say }) => {
    const rooms = run.details.deviceMap?.value?.maxMemory ?? [];
    const gpus = rooms.filter(({ device }) => typeof device === 'number');
    const keys = scalarsOf(run).filter(({ path }) => ROOM.test(path));
    if (keys.length === 0 || keys.length !== gpus.length) return [];
    const now = Math.ceil(Math.max(...gpus.map(({ bytes }) => bytes)) / GIB);
    const offloads = (estimate?.placed ?? []).length > 1;
    const steps = Array.from({ length: Math.min(MOST, now - 1) }, (_, i) => now - 1 - i);
    return steps.map((to, i) => optionOf(say, keys, { to, step: i, offloads }));
  },
};

const optionOf = (
  say: Say,
  keys: readonly ScalarKey[],
  { to, step, offloads }: { readonly to: number; readonly step: number; readonly offloads: boolean },
): RemedyOption => ({
  changes: keys.map(({ path }) => ({ key: path, to: `${to}GiB` })),
  price: {
    time: 1.05 ** (step + 1),
    speed: offloads
      ? say('slower: each pass moves more layers to the GPU')
      : say('slower: offloads the layers that no longer fit'),
    quality: null,
  },
});
