import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** A server in Rust: its process does not have Python's host RAM. */
export const tei: FrameworkProfile<'tei'> = { ...usual, id: 'tei', isPython: false };
