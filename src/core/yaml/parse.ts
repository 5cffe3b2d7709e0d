import { Composer, isAlias, isMap, isScalar, isSeq, Parser } from 'yaml';
import type { CST, Document, Node as LibraryNode, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Span } from '../text/span';
import type {
  Entry,
  MapNode,
  Opaque,
  ScalarNode,
  ScalarStyle,
  ScalarValue,
  YamlDocument,
  YamlFile,
  YamlNode,
  YamlProblem,
} from './node';
import { YamlBudget, checkText, defaultLimits } from './limits';
import type { YamlLimits } from './limits';

/**
 * Parses a YAML (or JSON) text into a tree with spans. Never throws: unreadable parts become problems, and the rest
 * of the file is still available. YAML 1.2 core scalars; of duplicate keys the last wins, as in PyYAML; merge keys
 * are resolved; aliases stay aliases, with a limit on their expansion.
 */
export function parseYaml(text: string, limits: YamlLimits = defaultLimits): YamlFile {
  const refused = checkText(text, limits);
  if (refused) return { text, documents: [], problems: [refused] };
  try {
    return new Reader(text, limits).read();
  } catch (error) {
    // The library recurses: catches texts that overflow the stack despite the limits.
    if (!(error instanceof RangeError)) throw error;
    const problem: YamlProblem = { code: 'too-deep', span: { start: 0, end: 0 }, message: tooDeep(limits) };
    return { text, documents: [], problems: [problem] };
  }
}

const tooDeep = (limits: YamlLimits): string =>
  `This file has more than ${limits.depth} levels of nesting and was not analyzed.`;

/** Tokens up to so many that belong nowhere: a text that is no YAML can be made of them, and each becomes a mistake to be told. */
function* untilTooBroken(tokens: Iterable<CST.Token>, most: number): Generator<CST.Token> {
  let errors = 0;
  for (const token of tokens) {
    if (token.type === 'error' && ++errors > most) return;
    yield token;
  }
}

/**
 * Makes a composer tell up to so many mistakes. Each is an error with a stack, which costs more than reading what it is about: a row
 * of 100,000 quotes took 2 s. The library has no option for it.
 */
function sparing(composer: Composer, most: number): Composer {
  const report = Reflect.get(composer, 'onError') as (...mistake: readonly unknown[]) => void;
  let reported = 0;
  Reflect.set(composer, 'onError', (...mistake: readonly unknown[]) => {
    if (++reported <= most) report(...mistake);
  });
  return composer;
}

const STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

class Reader {
  private readonly problems: YamlProblem[] = [];
  private anchors = new Map<string, YamlNode>();
  private shared = new Set<string>();
  private readonly budget: YamlBudget;

  constructor(
    private readonly text: string,
    private readonly limits: YamlLimits,
  ) {
    this.budget = new YamlBudget(limits);
  }

  read(): YamlFile {
    // No source tokens, line counter or pretty errors: spans come from node ranges, which is all that is needed.
    const options = { uniqueKeys: false, logLevel: 'silent', strict: false, prettyErrors: false } as const;
    const tokens = untilTooBroken(new Parser().parse(this.text), this.limits.problems);
    const composer = sparing(new Composer(options), this.limits.problems);
    const list: readonly Document.Parsed[] = [...composer.compose(tokens)];
    if (list.length > this.limits.documents) {
      const message = `This file has ${list.length} documents; the first ${this.limits.documents} were analyzed.`;
      this.problems.push({ code: 'too-large', span: { start: 0, end: 0 }, message });
    }
    const documents = list
      .slice(0, this.limits.documents)
      .map((document, index) => this.document(document, index));
    const { passed } = this.budget;
    if (passed === null) return { text: this.text, documents, problems: this.problems };
    const problem: YamlProblem = { code: 'too-large', span: { start: 0, end: 0 }, message: passed };
    return { text: this.text, documents: [], problems: [problem] };
  }

  private document(source: Document.Parsed, index: number): YamlDocument {
    this.anchors = new Map();
    this.shared = new Set();
    for (const error of source.errors.slice(0, this.limits.problems - this.problems.length)) {
      const [start, end] = error.pos;
      const reason = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      const message = `YAML: ${reason}${error.code === 'TAB_AS_INDENT' ? '; use spaces' : ''}.`;
      this.problems.push({ code: 'syntax', span: { start, end }, message });
    }
    const root = source.contents ? this.node(source.contents, 0) : null;
    const [start, , end] = source.range;
    return { index, root, span: { start, end }, sharedAnchors: this.shared };
  }

  private node(source: LibraryNode | null, depth: number): YamlNode | null {
    if (!source?.range || this.budget.passed !== null) return null;
    if (depth > this.limits.depth) {
      this.problems.push({ code: 'too-deep', span: spanOf(source), message: tooDeep(this.limits) });
      return null;
    }
    const node = this.build(source, depth);
    if (node?.anchor) this.anchors.set(node.anchor, node);
    if (node) this.budget.add(node);
    return node;
  }

  private build(source: LibraryNode, depth: number): YamlNode | null {
    if (isScalar(source)) return this.scalar(source);
    if (isMap(source)) return this.map(source, depth);
    if (isSeq(source)) return this.sequence(source, depth);
    if (!isAlias(source)) return null;
    const target = this.anchors.get(source.source) ?? null;
    this.shared.add(source.source);
    const span = spanOf(source);
    if (!target) {
      this.problems.push({
        code: 'unknown-alias',
        span,
        message: `No anchor &${source.source} before this alias.`,
      });
    }
    return { kind: 'alias', name: source.source, target, span, anchor: null };
  }

  private scalar(source: Scalar): ScalarNode {
    const span = spanOf(source);
    const written = this.text.slice(span.start, span.end);
    const style = STYLES[source.type ?? 'PLAIN'] ?? 'plain';
    return {
      kind: 'scalar',
      value: plainValue(source.value),
      source: written,
      style,
      opaque: opaqueness(source, written),
      span,
      anchor: source.anchor ?? null,
    };
  }

  private sequence(source: YAMLSeq, depth: number): YamlNode {
    const items = source.items
      .map(item => this.node(item as LibraryNode, depth + 1))
      .filter(item => item !== null);
    return {
      kind: 'sequence',
      items,
      flow: source.flow === true,
      span: spanOf(source),
      anchor: source.anchor ?? null,
    };
  }

  private map(source: YAMLMap, depth: number): MapNode {
    const own = new Map<string, Entry>();
    const merged = new Map<string, Entry>();
    for (const pair of source.items as Pair<LibraryNode, LibraryNode | null>[]) {
      const key = keyOf(pair.key);
      if (key === null) continue;
      const keySpan = spanOf(pair.key);
      const value = this.node(pair.value, depth + 1) ?? emptyAt(keySpan.end + 1);
      if (key === '<<') this.merge(value, merged);
      else this.add(own, { key, keySpan, value, merged: false });
    }
    for (const [key, entry] of merged) if (!own.has(key)) own.set(key, entry);
    const tag = source.tag && !source.tag.startsWith('tag:yaml.org') ? source.tag : null;
    const anchor = source.anchor ?? null;
    return {
      kind: 'map',
      entries: [...own.values()],
      flow: source.flow === true,
      tag,
      span: spanOf(source),
      anchor,
    };
  }

  private add(own: Map<string, Entry>, entry: Entry): void {
    const earlier = own.get(entry.key);
    if (earlier) {
      const message = `Key "${entry.key}" is repeated; the last one counts.`;
      this.problems.push({ code: 'duplicate-key', span: earlier.keySpan, message });
      own.delete(entry.key);
    }
    own.set(entry.key, entry);
  }

  /** `<<: *a` or `<<: [*a, *b]`: earlier maps win over later ones, own keys over all. */
  private merge(value: YamlNode, into: Map<string, Entry>): void {
    if (value.kind === 'sequence') value.items.forEach(item => this.merge(item, into));
    const map = value.kind === 'alias' ? value.target : value;
    if (map?.kind !== 'map' || this.budget.passed !== null) return;
    this.budget.addMerged(map.entries.length);
    for (const entry of map.entries) {
      if (!into.has(entry.key)) into.set(entry.key, { ...entry, merged: true });
    }
  }
}

function spanOf(node: LibraryNode): Span {
  const [start, end] = node.range ?? [0, 0];
  return { start, end };
}

const emptyAt = (offset: number): ScalarNode => ({
  kind: 'scalar',
  value: null,
  source: '',
  style: 'plain',
  opaque: null,
  span: { start: offset, end: offset },
  anchor: null,
});

function keyOf(key: unknown): string | null {
  return isScalar(key) ? String(key.source ?? key.value) : null;
}

function plainValue(value: unknown): ScalarValue {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function opaqueness(source: Scalar, written: string): Opaque | null {
  if (source.tag && !source.tag.startsWith('tag:yaml.org')) return 'tag';
  if (written.includes('${')) return 'interpolation';
  return written.includes('{{') || written.includes('{%') ? 'template' : null;
}
