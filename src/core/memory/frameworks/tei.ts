import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** A server in Rust: what its process takes of the host is not that of Python. */
export const tei: FrameworkProfile<'tei'> = { ...usual, id: 'tei', isPython: false };
