import pc from 'picocolors';
import { HOW_TO_REPORT } from '../core/analyse/failed';
import type { RuleFault } from '../core/rules/rule';
import { reasonOf, stackOf } from '../core/text/errors';
import { block, lines, paintWith, plainPaint, terminal, TerminalText } from '../core/text/terminal';
import type { Paint, Shown } from '../core/text/terminal';
import { visible } from '../core/text/visible';

/**
 * Where a command writes. stdout carries only documented output; everything else goes to stderr. A string is
 * printed on one line with visible control characters; a `TerminalText` may contain lines and colors.
 */
export interface Output {
  readonly out: (text: Shown) => void;
  readonly err: (text: Shown) => void;
  readonly paint: Paint;
}

export interface OutputOptions {
  readonly color?: boolean;
  readonly quiet?: boolean;
}

/** Whether the terminal supports colors and they are not disabled. */
export const isColored = ({ color }: OutputOptions): boolean => color !== false && pc.isColorSupported;

export function paintOf(colored: boolean): Paint {
  if (!colored) return plainPaint;
  const { bold, dim, green, yellow, red } = pc.createColors(true);
  return paintWith({ bold, dim, good: green, warn: yellow, bad: red });
}

export function terminalOutput(options: OutputOptions): Output {
  return {
    out: text => void process.stdout.write(`${rawOf(text)}\n`),
    err: text => {
      if (options.quiet !== true) process.stderr.write(`${rawOf(text)}\n`);
    },
    paint: paintOf(isColored(options)),
  };
}

/** Whether errors include stack traces. */
export const isDebugging = (): boolean => process.env['HEADROOM_DEBUG'] === '1';
const rawOf = (text: Shown): string => (TerminalText.is(text) ? text.raw : visible(String(text)));

/** Why something failed; `HEADROOM_DEBUG=1` adds the stack trace. */
export const whyFailed = (error: unknown): string => (isDebugging() ? stackOf(error) : reasonOf(error));

/** Errors that indicate a bug: no file, disk or host causes them. */
const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError] as const;

/** The message of a failed command, for stderr. */
export function failureText(error: unknown): Shown {
  if (error instanceof BadInput) return error.message;
  const isBug = BUGS.some(kind => error instanceof kind);
  const text = terminal`headroom failed: ${block(whyFailed(error))}`;
  return isBug ? lines([text, HOW_TO_REPORT]) : text;
}

/** Reports on stderr, once per rule, that a rule threw. */
export function faultReporter(
  write: (line: string) => unknown = line => process.stderr.write(line),
): (fault: RuleFault) => void {
  const reported = new Set<string>();
  return ({ rule, file, error }) => {
    if (reported.has(rule)) return;
    reported.add(rule);
    write(`headroom: the rule ${visible(rule)} failed on ${visible(file)}: ${block(whyFailed(error)).raw}\n`);
  };
}

/** Reports on stderr, once per file, that a dialect near a config has errors. */
export function dialectTeller(): (said: readonly string[]) => void {
  const told = new Set<string>();
  return said => {
    for (const sentence of said.filter(one => !told.has(one))) {
      told.add(sentence);
      process.stderr.write(`${visible(sentence)}\n`);
    }
  };
}

/** Reports on stderr that a model did not come. */
export function tellNoDownload(id: string, why: string): void {
  process.stderr.write(`Couldn't download config.json of ${visible(id)}: ${visible(why)}.\n`);
}

/** An unusable input: one sentence that names the file or option, and what to do. Exit code 3. */
export class BadInput extends Error {}
