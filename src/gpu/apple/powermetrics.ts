import { unknownDevice } from '../device';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import type { StreamReader, ToolReading } from '../tool';

const DEVICE = unknownDevice({ key: 'apple:0', vendor: 'apple', index: 0, memoryKind: 'unified' });

const FREQUENCY = /^GPU (?:HW )?active frequency:\s*([\d.]+) MHz/m;
const RESIDENCY = /^GPU (?:HW )?active residency:\s*(\d+(?:\.\d+)?|\.\d+)%/m;
const POWER = /^GPU Power:\s*([\d.]+ mW)/m;

function sampleIn(text: string, receivedMs: number, powerIn = text): Shown {
  const texts = {
    utilPct: [RESIDENCY.exec(text)?.[1]],
    powerW: [POWER.exec(powerIn)?.[1]],
    clockSmMHz: [FREQUENCY.exec(text)?.[1]],
  };
  return shown(DEVICE, texts, receivedMs, { powerKind: 'avg1s' });
}

/** Output of `powermetrics --samplers gpu_power`: one sample per line of the GPU's clock. */
export function readPowermetrics(text: string, receivedMs: number): ToolReading {
  const parts = text.split(/^(?=GPU (?:HW )?active frequency:)/m);
  // With the sampler of the CPU, the powers of the chip come first.
  const isBefore = POWER.test(parts[0] ?? '') && !POWER.test(parts.at(-1) ?? '');
  return readingOf(
    parts.flatMap((part, at) =>
      FREQUENCY.test(part) ? [sampleIn(part, receivedMs, isBefore ? parts[at - 1] : part)] : [],
    ),
  );
}

/** A tick is complete with its power line, the last of the GPU's. */
export class PowermetricsStream implements StreamReader {
  private text = '';

  line(text: string, receivedMs: number): readonly ToolReading[] {
    this.text = FREQUENCY.test(text) ? text : `${this.text}\n${text}`.slice(-20_000);
    if (!POWER.test(text) || !FREQUENCY.test(this.text)) return [];
    const reading = readingOf([sampleIn(this.text, receivedMs)]);
    this.text = '';
    return [reading];
  }
}
