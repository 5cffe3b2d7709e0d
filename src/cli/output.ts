import pc from 'picocolors';
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

export function terminalOutput(options: OutputOptions): Output {
  const colors = pc.createColors(options.color !== false && pc.isColorSupported);
  const paint: Paint = {
    bold: colors.bold,
    dim: colors.dim,
    good: colors.green,
    warn: colors.yellow,
    bad: colors.red,
  };
  return {
    out: text => void process.stdout.write(`${text}\n`),
    err: text => {
      if (options.quiet !== true) process.stderr.write(`${text}\n`);
    },
    paint: colors.isColorSupported ? paint : plainPaint,
  };
}

/** An input that cannot be used: one sentence that names the file or option, and what to do. Exit code 3. */
export class BadInput extends Error {}
