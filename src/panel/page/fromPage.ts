import type { FromPage, PageCommand } from './protocol';
import { WINDOWS } from './charted';
import { viewStateOf } from './viewState';

const COMMANDS: readonly PageCommand[] = ['trust', 'chooseTarget', 'addHost', 'openExample', 'showLog'];
const MOST_DEVICES = 4096;

/** A message of the page; null if it is unknown. */
export function fromPage(message: unknown): FromPage | null {
  const { type, ...given } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'ready') return { type };
  if (type === 'view') return { type, view: viewStateOf(given['view']) };
  if (type === 'history') return historyRequest(given);
  if (type === 'retry' || type === 'terminal') {
    return typeof given['host'] === 'string' ? { type, host: given['host'] } : null;
  }
  if (type === 'copy') return { type, devices: idsOf(given['devices']) };
  if (type === 'command') {
    const command = COMMANDS.find(one => one === given['command']);
    return command === undefined ? null : { type, command };
  }
  const { device, rule } = given;
  const isFix = type === 'fix' && typeof device === 'string' && typeof rule === 'string';
  return isFix ? { type, device, rule } : null;
}

function historyRequest({ windowMs, devices }: Readonly<Record<string, unknown>>): FromPage | null {
  const window = WINDOWS.find(({ ms }) => ms === windowMs);
  return window === undefined ? null : { type: 'history', windowMs: window.ms, devices: idsOf(devices) };
}

function idsOf(given: unknown): readonly string[] {
  if (!Array.isArray(given)) return [];
  return given.filter(id => typeof id === 'string').slice(0, MOST_DEVICES);
}
