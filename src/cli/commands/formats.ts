import { dialects } from '../../core/dialects/registry';
import { terminalOutput } from '../output';
import type { OutputOptions } from '../output';

/** `headroom formats`: the titles of the config formats that come with Headroom, one per line. */
export function formats(options: OutputOptions): void {
  const output = terminalOutput(options);
  const titles = dialects.map(({ title }) => title);
  for (const title of titles.toSorted((a, b) => a.localeCompare(b, 'en'))) output.out(title);
}
