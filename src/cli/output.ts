import pc from 'picocolors';
import type { RuleFault } from '../core/rules/rule';
import { reasonOf, stackOf } from '../core/text/errors';
import { plainPaint } from '../core/render/text';
import type { Paint } from '../core/render/text';

/** Where a command writes. stdout carries only what the contract names; everything else goes to stderr. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly paint: Paint;
}

export interface OutputOptions {
  readonly color?: boolean;
  readonly quiet?: boolean;
}

/** Whether a terminal takes colours, and nobody said no. */
export const isColored = ({ color }: OutputOptions): boolean => color !== false && pc.isColorSupported;

export function paintOf(colored: boolean): Paint {
  if (!colored) return plainPaint;
  const { bold, dim, green, yellow, red } = pc.createColors(true);
  return { bold, dim, good: green, warn: yellow, bad: red };
}

export function terminalOutput(options: OutputOptions): Output {
  return {
    out: text => void process.stdout.write(`${text}\n`),
    err: text => {
      if (options.quiet !== true) process.stderr.write(`${text}\n`);
    },
    paint: paintOf(isColored(options)),
  };
}

/** Why something failed; with `HEADROOM_DEBUG=1` the places in the code that led there, too. */
export const whyFailed = (error: unknown): string =>
  process.env['HEADROOM_DEBUG'] === '1' ? stackOf(error) : reasonOf(error);

/** Says on stderr, once for each rule, that it threw. */
export function faultTeller(
  write: (line: string) => unknown = line => process.stderr.write(line),
): (fault: RuleFault) => void {
  const told = new Set<string>();
  return ({ rule, file, error }) => {
    if (told.has(rule)) return;
    told.add(rule);
    write(`headroom: the rule ${rule} failed on ${file}: ${whyFailed(error)}\n`);
  };
}

/** An input that cannot be used: one sentence that names the file or option, and what to do. Exit code 3. */
export class BadInput extends Error {}
