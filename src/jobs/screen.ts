import { shellLine } from '../core/launch/words';
import { VERDICT_WORDS } from '../core/render/verdict';
import { formatBytes, formatRange } from '../core/render/units';
import type { JobPlace, JobRequest } from './job';

/** Everything that is to be known before a start: label and text, in order. */
export type ScreenLine = readonly [label: string, text: string];

/** The one screen before the start. `beside` is what the engine does there beside the command. */
export function startScreen(request: JobRequest, beside: readonly string[]): readonly ScreenLine[] {
  const { argv, folder, environment, secrets, place, writes, estimate } = request;
  const variables = [
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...secrets.map(name => `${name} (secret, by name)`),
  ];
  return [
    ['command', shellLine(argv)],
    ['in', folder],
    ['on', placeText(place)],
    ['GPUs', gpuText(request)],
    ...(variables.length === 0 ? [] : [['environment', variables.join(' ')] as const]),
    ['estimate', estimateText(estimate, request.gpus.count)],
    ['writes', writes.length === 0 ? 'what its config does not say' : writes.join(', ')],
    ...beside.map(text => ['', text] as const),
  ];
}

export function placeText(place: JobPlace): string {
  switch (place.engine) {
    case 'local':
      return 'this machine';
    case 'ssh':
      return `${place.alias} (SSH)`;
    case 'slurm': {
      const where = place.alias === null ? 'Slurm' : `Slurm through ${place.alias}`;
      return place.partition === null ? where : `${where}, partition ${place.partition}`;
    }
    case 'ray':
      return `Ray at ${place.address}`;
  }
}

function gpuText({ gpus: { count, uuids, needBytes } }: JobRequest): string {
  if (count === 0) return 'none';
  if (uuids.length > 0) return uuids.join(', ');
  const need = needBytes === null ? 'free memory' : `${formatBytes(needBytes)} free`;
  return `${count}, by ${need}${count > 1 ? ' on each' : ''}`;
}

function estimateText(estimate: JobRequest['estimate'], gpus: number): string {
  // What was estimated is for the GPU that was planned: nothing of it holds without one.
  if (gpus === 0) return 'none: it runs without a GPU';
  if (estimate === null) return 'unknown';
  const { bytes, verdict } = estimate;
  const amount = `≈ ${formatBytes(bytes.expected)} per GPU (${formatRange(bytes.low, bytes.high)})`;
  return `${amount} · ${VERDICT_WORDS[verdict]}`;
}
