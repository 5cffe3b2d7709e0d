import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunAnalysis } from '../../core/analysis';
import type { RunLaunch } from '../../core/launch/launch';

/** Texts are embedded by the engine that comes with Headroom, where the config's own program is not known. */
export function embedLaunch({ run: { quantities } }: RunAnalysis, file: string): RunLaunch | null {
  const program = join(__dirname, 'cli.js');
  if (quantities.task.value !== 'embed' || !existsSync(program)) return null;
  const argv = [process.execPath, program, 'embed', file];
  return {
    argv,
    open: [],
    file,
    resume: [...argv, '--resume'],
    writes: [],
    handsTo: null,
    source: 'docs/embed.md',
  };
}
