import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tinyTexts } from '../unit/embed/tinyModel';
import { folder } from './headroom';

/** Lines of a JSONL file with ids t0, t1 … */
export const jsonlTexts = (count: number): string =>
  tinyTexts(count)
    .map((text, i) => `${JSON.stringify({ id: `t${i}`, text })}\n`)
    .join('');

/** The shards of an output, by file name. */
export const bytesOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(folder(), name))
      .filter(each => each.startsWith('shard-'))
      .map(each => [each, readFileSync(join(folder(), name, each)).toString('base64')]),
  );
