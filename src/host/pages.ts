import { commands, Location, NotebookCellKind, Range, window, workspace } from 'vscode';
import type {
  NotebookCellOutput,
  NotebookDocument,
  Position,
  TextDocument,
  Uri,
  WorkspaceEdit,
} from 'vscode';
import { cellText } from '../core/text/cells';
import { isRecord, parsedJson } from '../core/text/json';
import type { Span } from '../core/text/span';
import type { TextEdit } from '../core/text/textEdit';

/** A text that is read, answered and changed as one: a document, or the Python cells of an open notebook. */
export interface Page {
  readonly uri: Uri;
  readonly version: number;
  readonly languageId: string;
  readonly isDirty: boolean;
  readonly isUntitled: boolean;
  readonly isClosed: boolean;
  getText(): string;
  save(): Thenable<boolean>;
}

/** A piece of a page's text that is a document of its own. */
interface Part {
  readonly document: TextDocument;
  readonly span: Span;
}

const CELL_SCHEME = 'vscode-notebook-cell';

export const isCell = ({ uri }: TextDocument): boolean => uri.scheme === CELL_SCHEME;

/** One text per version of a notebook: what it prints and its other cells do not change it. */
interface Snapshot {
  readonly key: string;
  readonly version: number;
  readonly text: string;
  readonly parts: readonly Part[];
}

class NotebookPage implements Page {
  readonly languageId = 'python';
  private latest: Snapshot | null = null;

  constructor(readonly notebook: NotebookDocument) {}

  get uri(): Uri {
    return this.notebook.uri;
  }

  get version(): number {
    return this.snapshot().version;
  }

  get isDirty(): boolean {
    return this.notebook.isDirty;
  }

  get isUntitled(): boolean {
    return this.notebook.isUntitled;
  }

  get isClosed(): boolean {
    return this.notebook.isClosed;
  }

  getText(): string {
    return this.snapshot().text;
  }

  save(): Thenable<boolean> {
    return this.notebook.save();
  }

  parts(): readonly Part[] {
    return this.snapshot().parts;
  }

  private snapshot(): Snapshot {
    const cells = this.notebook
      .getCells()
      .filter(({ kind, document }) => kind === NotebookCellKind.Code && document.languageId === 'python')
      .map(({ document }) => document);
    const key = cells.map(({ uri, version }) => `${uri.fragment} ${version}`).join('\n');
    if (this.latest?.key === key) return this.latest;
    const parts: Part[] = [];
    let text = '';
    for (const document of cells) {
      const code = document.getText();
      const whole = cellText(code);
      const start = text.length + whole.indexOf('\n') + 1;
      text += whole;
      parts.push({ document, span: { start, end: start + code.length } });
    }
    this.latest = { key, version: (this.latest?.version ?? 0) + 1, text, parts };
    return this.latest;
  }
}

const known = new WeakMap<NotebookDocument, NotebookPage>();

const isJupyter = ({ uri }: Pick<NotebookDocument, 'uri'>): boolean => /\.ipynb$/i.test(uri.path);

/** The page of a Jupyter notebook; null for notebooks of another kind. */
export function notebookPage(notebook: NotebookDocument): Page | null {
  if (!isJupyter(notebook)) return null;
  const page = known.get(notebook) ?? new NotebookPage(notebook);
  known.set(notebook, page);
  return page;
}

/** The page that a document is on: itself, or the notebook of a Python cell; null for other cells. */
export function pageOf(document: TextDocument): Page | null {
  if (!isCell(document)) return document;
  const notebook = workspace.notebookDocuments.find(one =>
    one.getCells().some(cell => cell.document === document),
  );
  const page = notebook ? notebookPage(notebook) : null;
  return page && partsOf(page).some(part => part.document === document) ? page : null;
}

/** Every open page. */
export const openPages = (): readonly Page[] => [
  ...workspace.textDocuments.filter(document => !isCell(document)),
  ...workspace.notebookDocuments.flatMap(notebook => notebookPage(notebook) ?? []),
];

/** The page in the active editor. */
export function activePage(): Page | null {
  const document = window.activeTextEditor?.document;
  if (document) return pageOf(document);
  const notebook = window.activeNotebookEditor?.notebook;
  return notebook ? notebookPage(notebook) : null;
}

/** The page of a file: the open notebook, else the text. */
export async function openPage(uri: Uri): Promise<Page> {
  const key = uri.toString();
  const open = openPages().findLast(page => page.uri.toString() === key);
  return open ?? (await openNotebook(uri)) ?? workspace.openTextDocument(uri);
}

/** Null for other files, and where nothing reads notebooks. */
async function openNotebook(uri: Uri): Promise<Page | null> {
  if (!isJupyter({ uri })) return null;
  try {
    return notebookPage(await workspace.openNotebookDocument(uri));
  } catch {
    return null;
  }
}

/** Shows a file in the editor that the user has for it, and returns its page. */
export async function showPage(uri: Uri): Promise<Page> {
  await commands.executeCommand('vscode.open', uri);
  return openPage(uri);
}

function partsOf(page: Page): readonly Part[] {
  if (page instanceof NotebookPage) return page.parts();
  const document = page as TextDocument;
  return [{ document, span: { start: 0, end: document.getText().length } }];
}

/** The document of a span on a page, and the range there. What begins between cells is at the start of the next. */
export function placeOn(page: Page, { start, end }: Span): Location {
  const parts = partsOf(page);
  const part = parts.find(({ span }) => start <= span.end) ?? parts.at(-1);
  if (!part) return new Location(page.uri, new Range(0, 0, 0, 0));
  const { document, span } = part;
  const at = (offset: number): Position =>
    document.positionAt(Math.min(Math.max(offset, span.start), span.end) - span.start);
  return new Location(document.uri, new Range(at(start), at(end)));
}

/** The offset on a page of a position in one of its documents. */
export function offsetOn(page: Page, document: TextDocument, position: Position): number {
  const part = partsOf(page).find(one => one.document === document);
  return (part?.span.start ?? 0) + document.offsetAt(position);
}

/** The documents that make up a page. */
export const documentsOf = (page: Page): readonly TextDocument[] =>
  partsOf(page).map(({ document }) => document);

/** Where the document of an offset begins on its page. */
export const topOf = (page: Page, offset: number): number =>
  partsOf(page).find(({ span }) => offset <= span.end)?.span.start ?? 0;

/** The text of each document of a page, to be put back. */
export type Texts = readonly (readonly [TextDocument, string])[];

export const textsOf = (page: Page): Texts =>
  partsOf(page).map(({ document }) => [document, document.getText()] as const);

/** What the cells of a notebook printed last, errors included, in their order. */
export function printedOn(page: Page): readonly { readonly cell: TextDocument; readonly text: string }[] {
  if (!(page instanceof NotebookPage)) return [];
  const own = new Set(documentsOf(page));
  return page.notebook
    .getCells()
    .filter(({ document, outputs }) => outputs.length > 0 && own.has(document))
    .map(({ document, outputs }) => ({ cell: document, text: printed(outputs) }));
}

/** Longer outputs are read from their ends. */
const MOST_PRINTED = 256 * 1024;

function printed(outputs: readonly NotebookCellOutput[]): string {
  const texts = outputs.flatMap(({ items }) =>
    items.flatMap(({ mime, data }) => {
      if (mime === 'application/vnd.code.notebook.error') return errorText(decoder.decode(data));
      return PRINTED.test(mime) ? decoder.decode(data.slice(-MOST_PRINTED)) : [];
    }),
  );
  return texts.join('\n').slice(-MOST_PRINTED);
}

const decoder = new TextDecoder();

const PRINTED = /^(?:text\/plain|application\/vnd\.code\.notebook\.std(?:out|err))$/;

/** A traceback, which ends with the error itself. */
function errorText(json: string): string {
  const error = parsedJson(json);
  if (!isRecord(error)) return json;
  const [stack, name, message] = [error['stack'], error['name'], error['message']].map(part =>
    typeof part === 'string' ? part : '',
  );
  return `${stack}\n${name}: ${message}\n`;
}

/** Adds to an edit what gives the documents these texts. */
export function putBackIn(whole: WorkspaceEdit, texts: Texts): void {
  for (const [document, text] of texts) {
    const end = document.positionAt(document.getText().length);
    if (document.getText() !== text) {
      whole.replace(document.uri, new Range(document.positionAt(0), end), text);
    }
  }
}

/** The edits that turn a page's text into what its documents said before. */
export function editsBackTo(page: Page, before: Texts): readonly TextEdit[] {
  const texts = new Map(before);
  return partsOf(page).flatMap(({ document, span }) => {
    const text = texts.get(document);
    return text === undefined || text === document.getText() ? [] : [{ span, text }];
  });
}
