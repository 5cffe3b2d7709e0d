import { l10n, QuickPickItemKind, ThemeIcon } from 'vscode';
import type { QuickPickItem } from 'vscode';
import { deviceId } from '../gpu/fleet';
import type { HostReading } from '../gpu/fleet';
import { Refusal } from '../host/errors';
import { remember, setting } from '../host/settings';
import { isTrusted } from '../host/trust';
import { pickOne } from '../host/messages';
import type { MachineGpus } from './machineGpus';
import { memoryText } from './meterFormat';
import { say } from '../host/say';

interface MeterItem extends QuickPickItem {
  /** The value of `headroom.meter.gpu`. */
  readonly value?: string;
}

/** *Choose Meter GPU*: a fixed GPU, or the busiest. */
export async function chooseMeterGpu(gpus: MachineGpus): Promise<void> {
  if (!isTrusted()) throw new Refusal(l10n.t('Headroom does not detect GPUs in Restricted Mode.'));
  const fleet = await gpus.fleet();
  const found = await fleet?.detection();
  // This machine may not have been read yet.
  const readings = fleet?.watches().map(({ reading }) => {
    const isUnseen = reading.host.kind === 'local' && reading.devices.length === 0;
    return isUnseen && found ? { ...reading, devices: found.devices, samples: found.samples } : reading;
  });
  const items = (readings ?? []).flatMap(hostItems);
  if (items.length === 0) throw new Refusal(l10n.t('No GPU found yet, on this machine or a host.'));
  const now = setting('meter.gpu').trim();
  const busiest: MeterItem = {
    label: l10n.t('The busiest GPU'),
    iconPath: new ThemeIcon('flame'),
    value: '',
  };
  const all = [busiest, ...items].map(item => (item.value === now ? { ...item, picked: true } : item));
  const picked = await pickOne(all, {
    title: l10n.t('Choose Status Bar GPU'),
    placeHolder: l10n.t('GPU to show in the status bar'),
    matchOnDescription: true,
  });
  if (picked?.value !== undefined) await remember('meter.gpu', picked.value);
}

/**
 * A UUID stays the same wherever a card is plugged in; a GPU without one is identified by its machine and position.
 */
function hostItems({ host, devices, samples }: HostReading): MeterItem[] {
  if (devices.length === 0) return [];
  const rows = devices.map(device => {
    const sample = samples.find(({ key }) => key === device.key) ?? null;
    return {
      label: `GPU ${device.index} · ${device.name ?? l10n.t('unnamed')}`,
      description: memoryText({ host: host.name, device, sample }, say),
      iconPath: new ThemeIcon('circuit-board'),
      value: host.kind === 'local' && device.uuid !== null ? device.uuid : deviceId(host.id, device),
    };
  });
  return [{ label: host.name, kind: QuickPickItemKind.Separator }, ...rows];
}
