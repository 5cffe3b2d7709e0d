import { explainOom } from '../../../src/core/output/oom/explain';
import { readProgress } from '../../../src/core/output/progress/reader';
import { unframed } from '../../../src/core/text/frame';
import { readRecording } from '../telemetry/recording';
import type { Recording } from '../telemetry/recording';
import { readPasted } from '../../../src/gpu/pasted';
import { gpuTools } from '../../../src/gpu/tools/registry';
import type { Damage } from './damages';
import type { Framing } from './frames';
import { lies } from './lies';

/** A recorded output, and how the product reads its text: equal values for equal readings. */
export interface Output {
  readonly id: string;
  readonly text: string;
  readonly read: (text: string, framing: Framing | null) => unknown;
}

/** Outputs of GPU tools that are read. */
export function telemetryOutputs(
  recordings: readonly Recording[],
  textOf: (file: string) => string,
): readonly Output[] {
  return recordings.map(recording => ({
    id: recording.file,
    text: textOf(recording.file),
    read: text => {
      const reading = readRecording(recording, unframed(text));
      return reading && { ...reading, error: reading.error?.kind ?? null };
    },
  }));
}

/** Outputs of trainers and engines. */
export function logOutputs(
  kind: 'oom' | 'progress',
  records: readonly { readonly id: string; readonly text: string }[],
): readonly Output[] {
  const read = kind === 'oom' ? readOom : (text: string): unknown => readProgress(text);
  return records.map(({ id, text }) => ({ id, text, read: (framed, framing) => read(framed, framing) }));
}

function readOom(text: string, framing: Framing | null): unknown {
  const report = explainOom(text);
  const rank = framing?.adds === 'rank' ? null : report?.numbers.rank;
  return report && { ...report, numbers: { ...report.numbers, rank } };
}

/** The outputs whose framed text reads differently from the plain one. */
export function differing(framing: Framing, outputs: readonly Output[]): readonly string[] {
  return outputs.filter(output => isDifferent(framing, output)).map(({ id }) => id);
}

function isDifferent(framing: Framing, { text, read }: Output): boolean {
  const plain = read(text, framing.adds ? framing : null);
  return JSON.stringify(read(framing.put(text), framing)) !== JSON.stringify(plain);
}

/** How a damaged output is read, against the whole one: `wrong` has a value that the whole one does not have. */
export type Survival = 'same' | 'less' | 'unread' | 'wrong';

/** How the output of a GPU tool survives a damage; null if the whole one is not read either. */
export function survival(
  damage: Damage,
  text: string,
): { readonly is: Survival; readonly lies: readonly string[] } | null {
  const whole = readPasted(text, gpuTools, 0)?.reading;
  if (!whole) return null;
  const left = readPasted(damage.put(text), gpuTools, 0)?.reading ?? null;
  if (left === null) return { is: 'unread', lies: [] };
  const found = lies(left, whole);
  if (found.length > 0) return { is: 'wrong', lies: found };
  const facts = ({ devices, samples, processes }: typeof whole): string =>
    JSON.stringify([devices, samples, processes]);
  return { is: facts(left) === facts(whole) ? 'same' : 'less', lies: [] };
}
