import { stripVTControlCharacters } from 'node:util';
import type { ToolOutput } from '../tool';

/** A line without colours and cursor movements. */
export function plainText(text: string): string {
  return text.includes('\u001B') || text.includes('\u009B') ? stripVTControlCharacters(text) : text;
}

/** Stands behind a text that was cut off, so that what is left of its last number is none. */
const CUT = '…';

/** An output as it is read: without colours, and with a mark where it ends within a line. */
export function plainOutput(output: ToolOutput): ToolOutput {
  const stdout = plainText(output.stdout);
  const isCut = stdout !== '' && !/[\n}\]>]\s*$/.test(stdout);
  return { ...output, stdout: isCut ? stdout + CUT : stdout, stderr: plainText(output.stderr) };
}
