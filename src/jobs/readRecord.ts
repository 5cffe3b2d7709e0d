import { isRecord, parsedJson } from '../core/text/json';
import { FINAL_STATES } from './job';
import type { JobRecord } from './job';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObjectOrNull = (value: unknown): boolean => value === null || isRecord(value);

const STATES: readonly unknown[] = [...FINAL_STATES, 'queued', 'starting', 'running', 'stopping', 'unknown'];

const isPlace = (value: unknown): boolean => {
  if (!isRecord(value)) return false;
  const { engine, alias } = value;
  if (engine === 'local') return true;
  if (engine === 'ray') return isText(value['address']);
  if (engine === 'kubernetes') {
    const { context, namespace, image, folder, claim } = value;
    return isText(image) && [context, namespace, folder, claim].every(isTextOrNull);
  }
  return engine === 'ssh' ? isText(alias) : engine === 'slurm' && isTextOrNull(alias);
};

const isEstimate = (value: unknown): boolean =>
  value === null ||
  (isRecord(value) &&
    isRecord(value['bytes']) &&
    Number.isFinite(value['bytes']['expected']) &&
    isText(value['verdict']));

const isPace = (value: unknown): boolean =>
  value === undefined ||
  (isRecord(value) && ['low', 'expected', 'high'].every(bound => Number(value[bound]) > 0));

const isPeak = (value: unknown): boolean =>
  isRecord(value) && Number.isFinite(value['bytes']) && [value['metric'], value['source']].every(isText);

const isConfig = (value: unknown): boolean =>
  value === null || (isRecord(value) && [value['file'], value['digest'], value['run']].every(isText));

/** Fields that every job must have, which other code does not check again. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  schema: value => value === 'headroom-job/1',
  id: isText,
  kind: isText,
  name: isText,
  state: value => STATES.includes(value),
  argv: isTexts,
  folder: isText,
  environment: value => isRecord(value) && Object.values(value).every(isText),
  secrets: isTexts,
  writes: isTexts,
  place: isPlace,
  gpus: value =>
    isRecord(value) &&
    typeof value['count'] === 'number' &&
    isTexts(value['uuids']) &&
    isNumberOrNull(value['needBytes']),
  limits: isRecord,
  estimate: isEstimate,
  pace: isPace,
  config: isConfig,
  createdMs: Number.isFinite,
  startedMs: isNumberOrNull,
  endedMs: isNumberOrNull,
  message: isTextOrNull,
  waits: value => value === undefined || value === null || isWait(value),
  handle: isObjectOrNull,
  exit: isObjectOrNull,
  peaks: value => Array.isArray(value) && value.every(isPeak),
};

const isWait = (value: unknown): boolean =>
  isRecord(value) && (value['for'] === 'gpus' || (value['for'] === 'job' && typeof value['id'] === 'string'));

/**
 * A record, if the text is one that this release understands and it belongs to the job with this id, because its
 * file paths use the id.
 */
export function recordFrom(text: string, id: string): JobRecord | null {
  const value = parsedJson(text);
  if (!isRecord(value) || value['id'] !== id) return null;
  const isWhole = Object.entries(FIELDS).every(([name, fits]) => fits(value[name]));
  return isWhole ? (value as unknown as JobRecord) : null;
}
