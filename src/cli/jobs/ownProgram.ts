import { join } from 'node:path';
import type { JobPlace } from '../../jobs/job';

/** The command that starts Headroom's own CLI at a job's place: this one locally, else the one installed there. */
export const ownProgram = ({ engine }: JobPlace): readonly string[] =>
  engine === 'local' ? [process.execPath, join(__dirname, 'cli.js')] : ['headroom'];
