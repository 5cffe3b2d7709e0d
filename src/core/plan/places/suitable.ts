import type { Place } from '../../compare/place';
import type { GpuFacts } from '../../hardware/gpu';
import { profileOf } from '../../memory/frameworks/profileOf';
import type { RunSpec } from '../../spec/runSpec';
import { commas } from '../../text/lists';
import { english, said, template } from '../../text/say';
import type { Say, Template } from '../../text/say';

type Maker = GpuFacts['vendor'];

/** Types of GPU that a run can be offered. */
export interface SuitablePlaces {
  readonly places: readonly Place[];
  /** Which types are left out, and why: a sentence; null: none. */
  readonly left: string | null;
}

const NAMES: Readonly<Record<Maker, Template>> = {
  NVIDIA: template('NVIDIA GPUs'),
  AMD: template('AMD GPUs'),
  Intel: template('Intel GPUs'),
  Apple: template('Apple GPUs'),
  other: template('TPUs'),
};

/** What PyTorch and Lightning call a device, and who makes it. */
const MAKERS: Readonly<Record<string, readonly Maker[]>> = {
  cuda: ['NVIDIA', 'AMD'],
  mps: ['Apple'],
  xpu: ['Intel'],
  tpu: ['other'],
};

/**
 * The places of the catalog without those that the run's framework does not run on. GPUs that are here, on a host or in a
 * cluster stay: whoever has them knows what they are for.
 */
export function suitablePlaces(places: readonly Place[], run: RunSpec, say: Say = english): SuitablePlaces {
  const { value, origin } = run.quantities.accelerator;
  // A framework's default says less than the framework itself.
  const accelerator = origin.kind === 'file' || origin.kind === 'derived' ? (value ?? '') : '';
  const stated = Object.hasOwn(MAKERS, accelerator) ? MAKERS[accelerator] : undefined;
  const makers = stated ?? profileOf(run.framework).makers;
  const isLeft = ({ kind, target }: Place): boolean =>
    kind === 'catalog' && target.gpu !== null && !makers.includes(target.gpu.vendor);
  const left = new Set(places.filter(isLeft).map(({ target }) => target.gpu?.vendor ?? 'other'));
  if (left.size === 0) return { places, left: null };
  const who = stated ? say('accelerator {0}', accelerator) : run.framework.name || 'PyTorch';
  return {
    places: places.filter(place => !isLeft(place)),
    left: say('{0} are left out: {1} runs on {2}.', listed(say, [...left]), who, listed(say, makers)),
  };
}

/** `NVIDIA, AMD and Intel GPUs`, `Apple GPUs and TPUs`. */
function listed(say: Say, makers: readonly Maker[]): string {
  const gpus = makers.filter(maker => maker !== 'other');
  const words = [
    ...gpus.slice(0, -1).map(maker => (makers.includes('other') ? said(say, NAMES[maker]) : maker)),
    ...gpus.slice(-1).map(maker => said(say, NAMES[maker])),
    ...(makers.includes('other') ? [said(say, NAMES.other)] : []),
  ];
  const [last = '', ...others] = words.toReversed();
  return others.length === 0 ? last : say('{0} and {1}', commas(say, others.toReversed()), last);
}
