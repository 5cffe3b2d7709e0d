import { shellLine } from '../core/launch/words';
import { formatBytes, formatCapacity, formatRange, gigabytes } from '../core/render/units';
import { VERDICT_WORDS } from '../core/render/verdict';
import type { JobEstimate, JobRequest } from '../jobs/job';
import { placeName } from './place';
import type { FreeGpu } from './ports';
import type { Choice, Outlook } from './request';

/** The one screen before a start, as text. */
export interface Screen {
  readonly title: string;
  readonly detail: string;
  readonly outlook: Outlook;
}

const MIB = 2 ** 20;

/** Exact command, environment by name, where, what it needs, what it writes; `plan` is what the engine will do beside. */
export function screenOf(
  request: JobRequest,
  choice: Choice,
  outlook: Outlook,
  plan: readonly string[],
): Screen {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Folder', [request.folder]],
    ['Where', [whereText(request, choice)]],
    ['Needs', needText(request, choice, outlook)],
    ['Environment', environmentText(request)],
    ['Writes', request.writes.length > 0 ? request.writes : ['not known: its config does not say']],
    ['Also', plan],
  ];
  const told = rows.filter(([, lines]) => lines.length > 0);
  const detail = told.map(([name, lines]) => `${name}: ${lines.join('; ')}`);
  return {
    title: titleOf(request, outlook),
    detail: [shellLine(request.argv), '', ...detail].join('\n'),
    outlook,
  };
}

function titleOf({ name, estimate, gpus }: JobRequest, outlook: Outlook): string {
  if (outlook !== 'refused' || estimate === null) return `Start “${name}”?`;
  const need = formatBytes(estimate.bytes.expected);
  return `“${name}” needs ≈ ${need}${gpus.count > 1 ? ' on each GPU' : ''} and does not fit.`;
}

function whereText({ place, gpus }: JobRequest, choice: Choice): string {
  const where = placeName(place);
  if (gpus.count === 0) return `${where}, without a GPU`;
  if (choice.gpus.length > 0) {
    const now = place.engine === 'local' ? 'freest now: ' : '';
    return `${where}, ${now}${choice.gpus.map(gpuText).join(', ')}`;
  }
  const kind = choice.row?.place.target.name;
  const many = gpus.count === 1 ? '1 GPU' : `${gpus.count} GPUs`;
  return kind === undefined ? `${where}, ${many}` : `${where}, ${many} (${kind})`;
}

/** `GPU 0 (RTX 4090, 22.1 of 24 GB free)`. */
export function gpuText({ index, name, totalBytes, freeBytes }: FreeGpu): string {
  const total = totalBytes === null ? '' : formatCapacity(totalBytes);
  const room = freeBytes === null ? total : `${gigabytes(freeBytes)} of ${total} free`;
  return `GPU ${index} (${[name.replace(/^NVIDIA (?=\S)/, ''), room].filter(Boolean).join(', ')})`;
}

function needText({ estimate, gpus }: JobRequest, { row }: Choice, outlook: Outlook): readonly string[] {
  if (estimate === null) return gpus.count === 0 ? [] : ['GPU memory is not known'];
  const { low, expected, high } = estimate.bytes;
  const need = `≈ ${formatBytes(expected)} per GPU (${formatRange(low, high)})`;
  const target = row?.place.target;
  const of = target ? `, of ${formatCapacity(target.totalMiB * MIB)}` : '';
  return [`${need}${of}: ${outlookText(estimate, outlook)}`];
}

function outlookText({ verdict }: JobEstimate, outlook: Outlook): string {
  if (outlook === 'waits') {
    return 'fits the card, but not beside what is on it now; it waits until there is room';
  }
  if (outlook === 'refused') return VERDICT_WORDS.exceeds;
  return VERDICT_WORDS[verdict];
}

/** Names only: values may be anybody's business. */
function environmentText({ environment, secrets, gpus, place }: JobRequest): readonly string[] {
  const isGiven = gpus.uuids.length > 0 || (place.engine === 'local' && gpus.count > 0);
  const own = isGiven ? ['CUDA_VISIBLE_DEVICES'] : [];
  const names = [...new Set([...own, ...Object.keys(environment)])];
  const secret = secrets.length > 0 ? [`secrets by name: ${secrets.join(', ')}`] : [];
  return names.length > 0 || secret.length > 0
    ? [...(names.length > 0 ? [names.join(', ')] : []), ...secret]
    : ['as it is'];
}
