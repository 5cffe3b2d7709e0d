import { sniffKeys } from '../yaml/sniff';
import packed from './all.signatures';
import { bestScanScore, unpacked } from './engine/scan';
import { mentions } from './engine/signature';
import { isScript } from './envelopes/batchScript';
import { couldBeGeneric, couldInherit } from './generic/sniff';

/*
 * What the editor loads for every file that could be a config: the signatures alone, without what dialects read.
 */

const signatures = packed.signatures.map(unpacked);
const keys = packed.keys.split(' ');
const wanted: ReadonlySet<string> = new Set(keys);

/**
 * A scan of the text's keys, without parsing: false when no dialect can reach its least score with them. It may say
 * yes to a stranger, never no to a config of ours.
 */
export function couldBeOurs(text: string): boolean {
  if (isScript(text)) return true;
  const found = sniffKeys(text, wanted);
  const seen = keys.map(key => found.has(key));
  return signatures.some(
    signature => bestScanScore(signature, seen) >= signature.least && mentions(signature, text),
  );
}

/** A look at the text, without parsing: false when neither a dialect nor a reading by vocabulary can come of it. */
export const couldBeRead = (text: string): boolean =>
  (couldBeOurs(text) || couldBeGeneric(text) || couldInherit(text)) && !isSpecification(text);

const SPECIFICATION = /^["']?(?:openapi|swagger)["']?[ \t]*:/m;

/** Specifications of interfaces have thousands of lines, and words for everything. Of several documents another may be ours. */
const isSpecification = (text: string): boolean =>
  SPECIFICATION.test(text) && !text.trimStart().includes('\n---');
