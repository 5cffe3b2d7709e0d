import { parseYaml } from '../yaml/parse';
import { isScript } from './envelopes/batchScript';
import { recognise } from './recognise';

/**
 * How likely somebody means this file by “a config”, for lists: `run` says what is trained or served, `guess` is read by its
 * vocabulary at best, `part` belongs to runs that other files describe: a DeepSpeed file, a manifest, a job script.
 */
export function standingOf(text: string): 'run' | 'guess' | 'part' {
  if (isScript(text)) return 'part';
  const roles = parseYaml(text).documents.map(document => recognise(document)?.role ?? 'guess');
  return roles.find(role => role === 'run') ?? roles.find(role => role === 'part') ?? 'guess';
}
