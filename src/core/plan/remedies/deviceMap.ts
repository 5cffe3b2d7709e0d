import { scalarsOf } from '../../spec/scalarKeys';
import type { Change } from '../../spec/change';
import { mapProposal } from '../deviceMap/proposal';
import type { MapProposal } from '../deviceMap/proposal';
import { FOLDER } from '../deviceMap/text';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import { template } from '../../text/say';
import type { Say } from '../../text/say';

const KEY = /(?:^|\.)device_map$/;

/** Distributes a model that is loaded for inference over the GPUs, and leaves the rest to the host. */
export const deviceMap: Remedy = {
  id: 'device-map',
  label: template('the device map'),
  outsideSpeedModel: true,
  sources: [
    'transformers 5.23, integrations/accelerate.py: balanced fills all GPUs evenly, max_memory limits each',
    'accelerate docs, "Big Model Inference": max_memory leaves room for activations',
  ],
  less: context => {
    const keys = scalarsOf(context.run).filter(({ path }) => KEY.test(path));
    const [key] = keys;
    if (!key || keys.length > 1) return [];
    const proposal = mapProposal(context);
    if (proposal === null || proposal.kind === 'one GPU') return [];
    const changes = changesFor(context, proposal, key.path);
    return changes === null ? [] : [{ changes, price: priceOf(context.say, proposal.kind) }];
  },
};

/** The map and its limits as neighboring keys; null if existing limits cannot be removed by a plan. */
function changesFor(
  { run }: RemedyContext,
  { map, maxMemory, usesDisk }: MapProposal,
  key: string,
): readonly Change[] | null {
  const section = key.slice(0, key.length - 'device_map'.length);
  const rooms = `${section}max_memory.`;
  const limits = Object.entries(maxMemory ?? {});
  const isLimited = limits.map(([device]) => `${rooms}${device}`);
  const stated = scalarsOf(run).filter(({ path }) => path.startsWith(rooms));
  if (stated.some(({ path }) => !isLimited.includes(path))) return null;
  return [
    { key, to: map },
    ...limits.map(([device, gib]) => ({ key: `${rooms}${device}`, to: `${gib}GiB` })),
    ...(usesDisk ? [{ key: `${section}offload_folder`, to: FOLDER }] : []),
  ];
}

const priceOf = (say: Say, kind: 'several GPUs' | 'offload'): RemedyOption['price'] =>
  kind === 'offload'
    ? { time: 4, speed: say('slower: each pass moves offloaded layers to the GPU'), quality: null }
    : { time: 1.05, speed: say('slightly slower: the GPUs compute in turn'), quality: null };
