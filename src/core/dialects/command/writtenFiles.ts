import type { Located } from '../../text/located';
import type { Span } from '../../text/span';
import { parseConfig } from '../../yaml/file';
import type { Entry, ScalarNode, YamlNode } from '../../yaml/node';
import type { Layer } from '../engine/compose';
import type { Taken } from './branches';
import type { Heredoc } from './heredocs';
import { joined, movedInto, placed, slice } from './located';
import { filledIn } from './shellValues';
import type { Syntax, Variables } from './shellValues';

/** A file that a script writes from a heredoc: `cat > config.yaml <<EOF`. */
export interface WrittenFile {
  /** Its content with known variables, and the place of each character in the script. */
  readonly text: Located;
  /** Lines of the script whose variables were filled in: they are read, and not changed. */
  readonly filled: readonly Span[];
  /** Parts that only a branch adds: what they state is unknown. */
  readonly maybe: readonly Span[];
}

/** A word of the command that writes. */
interface Word {
  readonly text: string;
  readonly open: boolean;
}

interface Target {
  readonly name: string;
  readonly appends: boolean;
}

/** The path that a command writes its input to, and whether it appends; null: to none that is known. */
function targetOf(words: readonly Word[]): Target | null {
  const tee = words.findIndex(({ text }) => text === 'tee');
  const at = words.findIndex(({ text }) => /^>>?(?!&)/.test(text));
  if (tee >= 0) return teeTarget(words.slice(tee + 1));
  const [, sign = '', own = ''] = /^(>>?)\|?(.*)$/s.exec(words[at]?.text ?? '') ?? [];
  const word = own === '' ? words[at + 1] : words[at];
  return at < 0 || !word || word.open ? null : { name: own || word.text, appends: sign === '>>' };
}

/** `tee -a FILE > /dev/null`. */
function teeTarget(words: readonly Word[]): Target | null {
  const file = words.find(({ text }) => !text.startsWith('-') && !text.startsWith('\u0003'));
  if (!file || file.open || file.text.startsWith('>')) return null;
  return { name: file.text, appends: words.some(({ text }) => text === '-a' || text === '--append') };
}

/** The files that a script writes before it starts its programs, by the names that it gives them. */
export class WrittenFiles {
  /** Null: branches write it differently. */
  private readonly found = new Map<string, WrittenFile | null>();

  /** `words` are those of the command that writes a heredoc; `taken`: whether its branch runs. */
  write(words: readonly Word[], heredoc: Heredoc, variables: Variables, taken: Taken, syntax: Syntax): void {
    const target = targetOf(words);
    if (!target) return;
    const name = plain(target.name);
    const before = this.found.get(name);
    const added = filledFile(heredoc, variables, syntax, taken);
    if (target.appends) this.found.set(name, before === null ? null : appended(before, added));
    // Which of two branches writes it is not known.
    else this.found.set(name, taken === null && before !== undefined ? null : { ...added, maybe: [] });
  }

  /** The file that a command names so; null: the script does not write it. */
  named(name: string): WrittenFile | null {
    return this.found.get(plain(name)) ?? null;
  }
}

const plain = (name: string): string => name.replace(/^(?:\.\/)+/, '');

const appended = (before: WrittenFile | undefined, added: WrittenFile): WrittenFile =>
  before
    ? {
        text: joined([before.text, added.text]),
        filled: [...before.filled, ...added.filled],
        maybe: [...before.maybe, ...added.maybe],
      }
    : added;

function filledFile(
  { text, literal }: Heredoc,
  variables: Variables,
  syntax: Syntax,
  taken: Taken,
): WrittenFile {
  const maybe = taken === null ? [{ start: text.at[0] ?? 0, end: text.at.at(-1) ?? 0 }] : [];
  if (literal || !text.text.includes('$')) return { text, filled: [], maybe };
  const parts: Located[] = [];
  const filled: Span[] = [];
  let at = 0;
  for (const line of text.text.split(/(?<=\n)/)) {
    const end = at + line.length;
    const known = filledIn(line, variables, syntax);
    const span = { start: text.at[at] ?? 0, end: text.at[end] ?? 0 };
    if (known !== line) filled.push(span);
    parts.push(known === line ? slice(text, at, end) : placed(known, span.start));
    at = end;
  }
  return { text: joined(parts), filled, maybe };
}

/** A written file as a config of the script: its places are in the script. */
export function writtenLayer(file: WrittenFile, name: string, opened: Layer): Layer | null {
  const document = parseConfig(name, file.text.text).documents[0];
  if (!document?.root) return null;
  const root = marked(movedInto(document.root, file.text), file);
  const { text } = opened.yaml;
  return {
    path: opened.path,
    yaml: { text, documents: [{ ...document, root }], problems: [] },
    document: 0,
    mount: null,
  };
}

/** A config that a branch names: what it states is unknown. */
export function perhaps(layer: Layer): Layer {
  const document = layer.yaml.documents[layer.document];
  if (!document?.root) return layer;
  const everywhere = { filled: [], maybe: [{ start: 0, end: Infinity }] };
  const documents = [{ ...document, root: marked(document.root, everywhere) }];
  return { ...layer, yaml: { ...layer.yaml, documents }, document: 0 };
}

type Marks = Pick<WrittenFile, 'filled' | 'maybe'>;

const isIn = (spans: readonly Span[], place: number): boolean =>
  spans.some(({ start, end }) => start <= place && place < end);

/** Values of filled lines are fixed, and those of parts that may be missing unknown. */
function marked(node: YamlNode, file: Marks): YamlNode {
  if (node.kind === 'sequence') return { ...node, items: node.items.map(item => marked(item, file)) };
  if (node.kind === 'scalar') return openIn(node, file);
  if (node.kind !== 'map') return node;
  const entries = node.entries.map((entry): Entry => {
    const value = marked(entry.value, file);
    const isFixed = isIn(file.filled, entry.keySpan.start) || isIn(file.maybe, entry.keySpan.start);
    return isFixed ? { ...entry, value, merged: true, from: [entry.key] } : { ...entry, value };
  });
  return { ...node, entries };
}

/** A shell variable that nothing sets leaves its value open. */
function openIn(node: ScalarNode, { maybe }: Marks): ScalarNode {
  const isOpen = typeof node.value === 'string' && /\$[\w({]|`/.test(node.value);
  return isIn(maybe, node.span.start) || isOpen ? { ...node, opaque: 'interpolation' } : node;
}
