import type { Located } from '../../text/located';
import { join } from '../../text/paths';
import type { StatedRelease } from '../../spec/runSpec';
import { installedIn } from '../command/pins';
import { LocatedText } from './locatedText';

/*
 * Files that start a program without a shell around it, as one shell script each: units of systemd, Podman's containers
 * among them (systemd.service(5), podman-systemd.unit(5)), programs of supervisord, Dockerfiles, and Ollama's Modelfiles.
 */

/** Text behind a key up to the end of its line, and of those that a backslash continues. */
interface Field {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

const FIELD = /^[ \t]*([A-Za-z]\w*)[ \t]*=[ \t]*/;

/** What stands behind each key that a pattern finds at the beginning of a line. */
function fieldsIn(text: string, pattern: RegExp): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  let open: { readonly key: string; readonly start: number } | null = null;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    const match: RegExpExecArray | null = open ? null : pattern.exec(line);
    if (match) open = { key: match[1] ?? '', start: at + match[0].length };
    if (open && !line.trimEnd().endsWith('\\')) {
      fields.push({ ...open, end });
      open = null;
    }
    at = end + 1;
  }
  return fields;
}

/** `Environment="A=b" C=d` and `environment=A="b",C="d"`, as assignments of a shell. */
function addVariables(script: LocatedText, text: string, { start, end }: Field): void {
  const pairs = /(?<!\w)(["']?)([A-Za-z_]\w{0,80})=("[^"\n]*"|'[^'\n]*'|[^\s,"']*)/g;
  for (const match of text.slice(start, end).matchAll(pairs)) {
    const [whole, quote = '', name = '', value = ''] = match;
    const from = start + match.index + quote.length;
    const bare = quote === '' ? value : (text.slice(from + name.length + 1, end).split(quote)[0] ?? '');
    script.add('export ', from).take(from, from + name.length + 1);
    if (quote === '') script.take(from + name.length + 1, start + match.index + whole.length);
    else script.add('"', from).take(from + name.length + 1, from + name.length + 1 + bare.length);
    script.add(quote === '' ? '\n' : '"\n', from);
  }
}

/** The commands of a unit; a container is started from its image with what stands in `Exec`. */
export function unitCommands(text: string): Located {
  const script = new LocatedText(text);
  const fields = fieldsIn(text, FIELD);
  for (const field of fields) {
    if (field.key === 'Environment') addVariables(script, text, field);
    // A dash before it: it may be missing.
    const dash = field.key === 'EnvironmentFile' && text[field.start] === '-' ? 1 : 0;
    if (field.key !== 'EnvironmentFile') continue;
    script
      .add('source ', field.start)
      .take(field.start + dash, field.end)
      .add('\n', field.end);
  }
  const image = fields.find(({ key }) => key === 'Image');
  const args = fields.find(({ key }) => key === 'Exec');
  if (image) {
    const isGpu = fields.some(
      ({ key, start, end }) => key === 'AddDevice' && isGpuDevice(text.slice(start, end)),
    );
    script.add(`podman run ${isGpu ? '--gpus all ' : ''}`, image.start).take(image.start, image.end);
    if (args) script.add(' ', args.start).take(args.start, args.end);
    script.add('\n', image.end);
  }
  for (const { key, start, end } of fields) {
    if (key !== 'ExecStart' && key !== 'ExecStartPre') continue;
    // `-/usr/bin/…`: what may fail, or run as someone else.
    const [lead = ''] = /^[-@:+!|]{0,4}/.exec(text.slice(start, end)) ?? [];
    script.take(start + lead.length, end).add('\n', end);
  }
  return script.done();
}

const isGpuDevice = (device: string): boolean => /^nvidia\.com\/gpu|^\/dev\/nvidia/.test(device);

/** The commands of supervisord's programs. */
export function supervisorCommands(text: string): Located {
  const script = new LocatedText(text);
  const fields = fieldsIn(text, FIELD);
  for (const field of fields.filter(({ key }) => key === 'environment')) addVariables(script, text, field);
  for (const { key, start, end } of fields) {
    if (key === 'command') script.take(start, end).add('\n', end);
  }
  return script.done();
}

const INSTRUCTION = /^[ \t]*(FROM|ENV|ARG|COPY|ADD|RUN|ENTRYPOINT|CMD)[ \t]+/;

/** A file or folder beside a Dockerfile, and where it is in the image. */
export type Copied = readonly [source: string, target: string];

/** What an image that a Dockerfile builds starts with; `args` are replaced by a command. */
export interface BuiltImage {
  readonly base: string;
  readonly entrypoint: readonly string[];
  readonly args: readonly string[];
  readonly copied: readonly Copied[];
  readonly variables: ReadonlyMap<string, string>;
  readonly releases: readonly StatedRelease[];
}

/** What a Dockerfile's last stage builds; null: it is built on nothing. */
export function builtImage(text: string): BuiltImage | null {
  const fields = fieldsIn(text, INSTRUCTION);
  const base = fields.findLast(({ key }) => key === 'FROM');
  if (!base) return null;
  const own = fields.filter(({ start }) => start > base.start);
  const wordsOf = (name: string): readonly string[] => {
    const field = own.findLast(({ key }) => key === name);
    return field ? wordsIn(text.slice(field.start, field.end)) : [];
  };
  const assigned = own.filter(({ key }) => key === 'ENV').map(({ start, end }) => text.slice(start, end));
  return {
    base: nameOfBase(text, base),
    entrypoint: wordsOf('ENTRYPOINT'),
    args: wordsOf('CMD'),
    copied: copiedIn(text, own),
    variables: new Map(assigned.flatMap(assignmentsIn)),
    releases: installedIn(
      own.filter(({ key }) => key === 'RUN').map(({ start, end }) => text.slice(start, end)),
    ),
  };
}

const assignmentsIn = (text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(/(?<!\w)([A-Za-z_]\w{0,80})=("[^"\n]*"|'[^'\n]*'|[^\s"']*)/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll(/^["']|["']$/g, '')] as const,
  );

function nameOfBase(text: string, { start, end }: Field): string {
  const [, name = ''] = /^(?:--platform=\S+[ \t]+)?(\S+)/.exec(text.slice(start, end)) ?? [];
  return name;
}

/** `["a", "b"]`, or words of a shell. */
const wordsIn = (text: string): readonly string[] =>
  text.startsWith('[')
    ? [...text.matchAll(QUOTED)].map(([word]) => word.slice(1, -1))
    : text.split(/[\s\\]+/).filter(word => word !== '');

const QUOTED = /"(?:[^"\\]|\\[\s\S])*"/g;

/** What `COPY` and `ADD` take from beside the file; a file that goes into a folder keeps its name. */
function copiedIn(text: string, fields: readonly Field[]): readonly Copied[] {
  return fields.flatMap(({ key, start, end }) => {
    if (key !== 'COPY' && key !== 'ADD') return [];
    const words = wordsIn(text.slice(start, end));
    const sources = words.filter(word => !word.startsWith('--')).slice(0, -1);
    const target = words.at(-1) ?? '';
    if (words.some(word => word.startsWith('--from=')) || !target.startsWith('/')) return [];
    const isFolder = target.endsWith('/') || sources.length > 1;
    const folder = target.replace(/\/$/, '');
    return sources.map(source => {
      const isFile = isFolder && /\.\w+$/.test(source);
      return [source, isFile ? `${folder}/${source.split('/').at(-1) ?? ''}` : folder] as const;
    });
  });
}

/** The file beside a Dockerfile that is at a place of the image; null: none is known. */
function sourceOf(copied: readonly Copied[], place: string): string | null {
  const found = copied.find(([, target]) => place === target || place.startsWith(`${target}/`));
  if (!found) return null;
  const [source, target] = found;
  return join('.', `${source}${place.slice(target.length)}`);
}

/** What a Dockerfile's image starts: its own program, or that of the image it is built on. */
export function dockerCommands(text: string): Located {
  const script = new LocatedText(text);
  const fields = fieldsIn(text, INSTRUCTION);
  const last = (key: string): Field | undefined => fields.findLast(field => field.key === key);
  const base = last('FROM');
  const own = fields.filter(({ start }) => start > (base?.start ?? 0));
  for (const field of fields.filter(({ key }) => key === 'ENV' || key === 'ARG')) {
    addVariables(script, text, field);
  }
  const entrypoint = own.findLast(({ key }) => key === 'ENTRYPOINT');
  const args = own.findLast(({ key }) => key === 'CMD');
  if (!entrypoint && base && args && isList(text, args) && !STARTS.test(text.slice(args.start, args.end))) {
    const [name = ''] = /^(?:--platform=\S+ )?\S+/.exec(text.slice(base.start, base.end)) ?? [];
    script
      .add('docker run --gpus all ', base.start)
      .take(base.start, base.start + name.length)
      .add(' ', base.end);
  }
  const copied = copiedIn(text, own);
  if (entrypoint) addWords(script, text, entrypoint, copied);
  if (args && (!entrypoint || isList(text, entrypoint))) {
    addWords(script.add(' ', args.start), text, args, copied);
  }
  return script.add('\n', text.length).done();
}

/** A tool that starts a program in its environment is no argument of a base image's own program. */
const STARTS = /^\[\s{0,9}"(?:uv|poetry|pdm|pixi|hatch|rye|pipenv|conda|mamba|micromamba)"/;

const isList = (text: string, { start }: Field): boolean => text[start] === '[';

/** `["a", "b"]` as words, or the text of a shell; a copied file is called as it is beside the Dockerfile. */
function addWords(script: LocatedText, text: string, { start, end }: Field, copied: readonly Copied[]): void {
  if (text[start] !== '[') {
    const [program = ''] = /^\S+/.exec(text.slice(start, end)) ?? [];
    const source = sourceOf(copied, program);
    if (source !== null) script.add(source, start);
    script.take(source === null ? start : start + program.length, end);
    return;
  }
  for (const match of text.slice(start, end).matchAll(QUOTED)) {
    const at = start + match.index;
    const source = sourceOf(copied, match[0].slice(1, -1));
    if (source === null) script.take(at, at + match[0].length);
    else script.add(source, at);
    script.add(' ', at);
  }
}

const PARAMETER = /^[ \t]*(FROM|PARAMETER[ \t]+num_(?:ctx|gpu|batch))[ \t]+/i;

/** A Modelfile's model with its parameters, as flags of the command that runs it (ollama/ollama, docs/modelfile.md). */
export function modelfileCommands(text: string): Located {
  const script = new LocatedText(text);
  const fields = fieldsIn(text, PARAMETER);
  const [from, ...parameters] = fields.toSorted((a, b) => Number(isParameter(a)) - Number(isParameter(b)));
  if (!from || isParameter(from)) return script.done();
  script.add('ollama run ', from.start).take(from.start, from.end);
  for (const { key, start, end } of parameters.filter(isParameter)) {
    const name = key.toLowerCase().split(/\s+/).at(-1) ?? '';
    script.add(` --${name} `, start).take(start, end);
  }
  return script.add('\n', text.length).done();
}

const isParameter = ({ key }: Field): boolean => /^parameter/i.test(key);
