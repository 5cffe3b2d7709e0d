import type { LogLine } from '../data/forms/line';
import { dialects } from './registry';
import { couldBeGeneric } from './generic/sniff';
import { couldBeOurs } from './recognise';

/** A look at the text, without parsing: false when neither a dialect nor a reading by vocabulary can come of it. */
export const couldBeRead = (text: string): boolean =>
  (couldBeOurs(text) || couldBeGeneric(text)) && !isSpecification(text);

const SPECIFICATION = /^["']?(?:openapi|swagger)["']?[ \t]*:/m;

/** Specifications of interfaces have thousands of lines, and words for everything. Of several documents another may be ours. */
const isSpecification = (text: string): boolean =>
  SPECIFICATION.test(text) && !text.trimStart().includes('\n---');

/** Lines that the program of a dialect prints; none for one that does not come with Headroom. */
export const dialectLogs = (id: string | null): readonly LogLine[] =>
  dialects.find(dialect => dialect.id === id)?.logs ?? [];
