// The formatter, for files that scripts write.
import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';
import { root } from './root.mjs';

const style = JSON.parse(readFileSync(`${root}/.oxfmtrc.json`, 'utf8'));
delete style.ignorePatterns;

/** The text of a file in the project's style; the name tells its language. */
export async function formatted(name, text) {
  const { code, errors } = await format(name, text, style);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  return code;
}
