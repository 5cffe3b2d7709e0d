import { basename } from '../../text/paths';

const MARKDOWN = /^readme[\w.-]*\.(?:md|markdown)$/i;
const MAKEFILE = /^(?:gnu)?makefile$|^justfile$/i;

/** True for a file that explains: its commands are examples. */
export const isExplaining = (path: string): boolean => MARKDOWN.test(basename(path));

/** True for a file with documented commands: a README, a Makefile. */
export const isWritten = (path: string): boolean => isExplaining(path) || MAKEFILE.test(basename(path));
