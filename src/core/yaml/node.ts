import type { Span } from '../text/span';

/** Scalar values after YAML 1.2 core resolution. */
export type ScalarValue = string | number | boolean | null;

/** Why a scalar's text is not its value; the value must not be guessed. */
export type Opaque =
  | 'tag' // !!python/…, !include, !new:…
  | 'interpolation' // ${…} of Hydra, OmegaConf, shell
  | 'template'; // {{ … }} of Jinja, Helm

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

interface Located {
  /** The value as written, without its trailing comment. */
  readonly span: Span;
  /** `&name` on this node. */
  readonly anchor: string | null;
}

export interface ScalarNode extends Located {
  readonly kind: 'scalar';
  readonly value: ScalarValue;
  /** The text as written, including quotes; '' for an empty value. */
  readonly source: string;
  readonly style: ScalarStyle;
  readonly opaque: Opaque | null;
  /** The file format itself says the type: no loader reads the text in its own way. */
  readonly exact?: true;
}

/** Tag of a mapping whose keys are command-line flags: no key can be written next to them. */
export const ARGV = 'argv';

/** Tag of a mapping whose keys are flags in a shell's text: a new key is one more word after the others. */
export const ARGV_TEXT = 'argv text';

/** Tag of a mapping whose keys are arguments of Python calls. */
export const PYTHON = 'python';

/** Where a new argument of a Python call stands in the file. */
export interface CallPlace {
  /** The call's own range: an argument next to a key in it belongs to it. */
  readonly span: Span;
  /** Keys whose arguments have another name. */
  readonly names: Readonly<Record<string, string>>;
  /** Keys that are arguments under their own names; null: all that no other call has. */
  readonly only: readonly string[] | null;
  readonly at: number;
  /** What stands before and after `name=value` there, as Python text. */
  readonly before: string;
  readonly after: string;
  /** The equals sign as the call has it. */
  readonly sign: string;
  readonly quote: '"' | "'";
}

/** The calls that state a run, and how their text stands in the file. */
export interface CallPlaces {
  readonly calls: readonly CallPlace[];
  /** Keys of calls that the program does not have. */
  readonly elsewhere: readonly string[];
  /** The text is a string of JSON, as in a notebook. */
  readonly isJson: boolean;
}

/** One `key: value` of a mapping. */
export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: YamlNode;
  /** It comes from `<<: *anchor`: another place shares the anchor's text. */
  readonly merged: boolean;
  /** The path of an entry that was built from other text: a command-line flag. */
  readonly from?: readonly (string | number)[];
}

export interface MapNode extends Located {
  readonly kind: 'map';
  /** In file order; of duplicate keys only the last, as in PyYAML. */
  readonly entries: readonly Entry[];
  readonly flow: boolean;
  /** `!new:` and similar; ARGV or ARGV_TEXT for words of a command, PYTHON for arguments of calls. */
  readonly tag: string | null;
  /** How a TOML file writes it. */
  readonly table?: TomlTable;
  /** The calls, if its keys are arguments. */
  readonly places?: CallPlaces;
}

/** How a mapping is written in TOML, which decides where a new key can stand. */
interface TomlTable {
  /** `[a]` or `[[a]]` has a header; `[a.b]` makes an implicit `a`; `a.b = 1` makes a dotted one. */
  readonly kind: 'root' | 'header' | 'implicit' | 'dotted' | 'inline';
  readonly header: Span | null;
  /** Of a dotted one: the keys before its own. */
  readonly prefix: readonly string[];
}

export interface SequenceNode extends Located {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
  readonly flow: boolean;
}

/** `*name`: the same value as another node. `target` is null if no such anchor came before. */
interface AliasNode extends Located {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode | null;
}

export type YamlNode = ScalarNode | MapNode | SequenceNode | AliasNode;

/** One document of a file. `root` is null for an empty or unreadable one. */
export interface YamlDocument {
  readonly index: number;
  readonly root: YamlNode | null;
  readonly span: Span;
  /** Anchors used by an `*alias` or merge key: editing their text would change several places. */
  readonly sharedAnchors: ReadonlySet<string>;
  /** Absent: YAML or JSON. */
  readonly syntax?: 'toml';
}

export type YamlProblemCode =
  | 'syntax'
  | 'duplicate-key'
  | 'unknown-alias'
  | 'too-large'
  | 'too-deep'
  | 'binary';

export interface YamlProblem {
  readonly code: YamlProblemCode;
  readonly span: Span;
  /** One sentence for the user. */
  readonly message: string;
}

/** A parsed file, with its problems. Parsing never throws. */
export interface YamlFile {
  readonly text: string;
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly YamlProblem[];
}

/** Where a config file that a program opens states a value. */
export interface StatedAt {
  readonly path: string;
  readonly keys: readonly string[];
  readonly keySpan: Span;
  readonly node: ScalarNode;
}
