import { isProgram } from '../text/paths';
import { parseText } from '../yaml/file';
import { isCarrier } from '../dialects/envelopes/carrier';
import { isScript } from '../dialects/envelopes/batchScript';
import { recognize } from '../dialects/recognise';

/**
 * How likely a file is what users mean by “a config”, for lists: `run` trains or serves, `guess` is read by
 * vocabulary at best, `part` belongs to runs of other files: a DeepSpeed file, a manifest, a job script.
 */
export async function standingOf(text: string, path = ''): Promise<'run' | 'guess' | 'part'> {
  if (isProgram(path)) {
    const { pythonRuns } = await import('./program/runs');
    return pythonRuns(path, text).length > 0 ? 'run' : 'guess';
  }
  if (isCarrier(path) || isScript(text, path)) return 'part';
  const roles = parseText(text).documents.map(document => recognize(document)?.role ?? 'guess');
  return roles.find(role => role === 'run') ?? roles.find(role => role === 'part') ?? 'guess';
}
