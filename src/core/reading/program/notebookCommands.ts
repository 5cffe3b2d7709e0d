import { runsOfJob } from '../../dialects/command/jobs';
import { joined } from '../../dialects/command/located';
import { scriptOf } from '../../dialects/command/shell';
import type { Composition, Layer, NearbyFiles } from '../../dialects/engine/compose';
import { readProgram } from '../../python/program';
import { programOf } from '../../python/source';
import type { ProgramSource } from '../../python/source';
import type { Located } from '../../text/located';

/** The runs that a notebook's lines of a shell start, with the program's own values: `!python train.py --lr {lr}`. */
export async function notebookRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const source = programOf(opened.path, opened.yaml.text);
  if (!source || source.commands.length === 0) return [];
  const lines = source.commands.map(({ start, end }) => lineOf(start, end, source));
  const script = scriptOf(joined(lines), valuesIn(source));
  const job = { name: '', image: '', commands: script.always, environment: [], launched: {} };
  return (await runsOfJob(job, opened, files)).filter(({ dialect }) => dialect !== undefined);
}

/** A line with its break; IPython's `{name}` is a variable. */
function lineOf(start: number, end: number, source: ProgramSource): Located {
  const { written: text } = source;
  let line = '';
  const at: number[] = [];
  for (let i = start; i < end; i++) {
    const place = source.inFile({ start: i, end: i + 1 }).start;
    if (text[i] === '{' && text[i - 1] !== '$' && /^\{\w{1,60}\}/.test(text.slice(i, i + 63))) {
      line += '$';
      at.push(place);
    }
    line += text[i] ?? '';
    at.push(place);
  }
  const last = source.inFile({ start: Math.max(start, end - 1), end }).end;
  return { text: `${line}\n`, at: [...at, last, last] };
}

/** What the program assigns to names, where it is known. */
const valuesIn = (source: ProgramSource): ReadonlyMap<string, string> =>
  new Map(
    readProgram(source.text)
      .moduleValues()
      .flatMap(({ key, value }) =>
        value.kind === 'scalar' && value.value !== null ? [[key, String(value.value)] as const] : [],
      ),
  );
