import { join } from 'node:path';
import type { JobPlace } from '../../jobs/job';

/** How Headroom's own command line is called where a job goes: as it is here, else as it was installed there. */
export const ownProgram = ({ engine }: JobPlace): readonly string[] =>
  engine === 'local' ? [process.execPath, join(__dirname, 'cli.js')] : ['headroom'];
