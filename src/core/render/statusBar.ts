import type { Estimate, Verdict } from '../memory/estimate';
import { room } from '../memory/words';
import type { RunAnalysis } from '../rules/analysis';
import { formatBytes, formatCapacity } from '../units';
import { visibleLine } from '../text/visible';
import { answer } from './verdict';
import { isOfGpu } from '../memory/gap';
import { english } from '../text/say';
import type { Say } from '../text/say';

/** A run's verdict for narrow places, and its screen-reader text. */
export interface ShortAnswer {
  /** A VS Code icon: the verdict must be clear without colors. */
  readonly icon: 'pass' | 'warning' | 'error' | 'question';
  /** `29.6/24 GB · RTX 4090`. */
  readonly text: string;
  /** `about 29.6 GB of 24 GB, does not fit, RTX 4090`. */
  readonly spoken: string;
}

const ICONS: Readonly<Record<Verdict, ShortAnswer['icon']>> = {
  fits: 'pass',
  tight: 'warning',
  exceeds: 'error',
  unknown: 'question',
};

/** A run's verdict for the status bar. */
export function shortAnswer(analysis: RunAnalysis, say: Say = english): ShortAnswer {
  const { tentative, verdict, estimate } = analysis;
  const text = estimate?.onMachine ? machineText(say, analysis, estimate) : gpusText(say, analysis);
  return {
    icon: iconOf(analysis, tentative ? 'unknown' : verdict),
    text: visibleLine(tentative ? `${text} · ${say('keys guessed')}` : text),
    spoken: visibleLine(answer(analysis, say).replaceAll('≈ ', say('about ')).replaceAll(' · ', say(', '))),
  };
}

/** A run that needs no GPU passes, even if the host's RAM is unknown. */
function iconOf({ estimate }: RunAnalysis, verdict: Verdict): ShortAnswer['icon'] {
  return estimate?.onMachine && verdict === 'unknown' ? 'pass' : ICONS[verdict];
}

function machineText(say: Say, { run, verdict }: RunAnalysis, { host }: Estimate): string {
  const where = run.quantities.accelerator.value === 'mps' ? say('Apple GPU') : 'CPU';
  const capacity = host?.capacityBytes ?? null;
  if (host === null || capacity === null || verdict === 'fits') return where;
  return `${need(host.bytes.expected)}/${formatCapacity(capacity)} RAM · ${where}`;
}

function gpusText(say: Say, { run, target, estimate, gaps = [] }: RunAnalysis): string {
  const device = estimate?.devices[0];
  if (!device) {
    return target === null && gaps.some(isOfGpu) ? say('needs a GPU') : say('GPU memory unknown');
  }
  if (device.capacityBytes === null) {
    return say('{0} · no GPU chosen', formatBytes(device.device.expected));
  }
  const amount = `${need(device.device.expected)}/${room(say, device)}`;
  const gpus = run.quantities.gpus.value ?? target?.count ?? null;
  if (gpus !== null && gpus > 1) return `${amount} · ${gpus} × ${device.name}`;
  // A target that is an amount of memory has no other name.
  return device.name === formatCapacity(device.capacityBytes) ? amount : `${amount} · ${device.name}`;
}

/** Omits the unit, which the amount after the slash shows. */
const need = (bytes: number): string => formatBytes(bytes).replace(/ GB$/, '');
