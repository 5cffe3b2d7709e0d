import { CompletionItem, CompletionItemKind, Hover, languages } from 'vscode';
import type { CancellationToken, Position, TextDocument } from 'vscode';
import { definitionOf } from '../core/dialects/defined/definition';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import type { RunSpec } from '../core/spec/runSpec';
import type { KeyNote } from '../core/dialects/keyNotes';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { offsetOn, pageOf, placeOn } from '../host/pages';
import { markdownView } from '../host/markdown';
import { setting } from '../host/settings';
import type { Analyzed } from './analysisService';
import type { Analyst } from './analyst';
import { statedIn } from './findings';
import { configSelector } from './selector';
import type { EditorServices } from './services';
import type { Core } from './loading';

/** `key:` and the part of its value that has been typed. */
const VALUE = /^\s*(?:- )?(["']?)[\w.-]+\1\s*:\s+(['"]?)([^\s#'"]*)$/;

/** Help for keys of a dialect: hovers, completion of keys, and of values if there are few. */
export function registerKeyHelp({ analysis, analyst, core }: EditorServices): Disposable {
  const noteAt = async (
    document: TextDocument,
    position: Position,
    token: CancellationToken,
  ): Promise<Noted | null> => {
    const analyzed = await analysis.at(document, token);
    const dialect = analyzed && spokenIn(analyzed);
    if (!analyzed || dialect === null) return null;
    const { text } = analyzed;
    const note = await analyst('keyNote', {
      dialect,
      text,
      offset: offsetOn(analyzed.document, document, position),
    });
    return note && { note, hasSum: hasSum(analyzed, note) };
  };
  const store = new DisposableStore();
  store.add(
    languages.registerHoverProvider([...configSelector], {
      async provideHover(document, position, token) {
        const noted = await noteAt(document, position, token);
        if (noted === null || noted.hasSum) return null;
        const { range } = placeOn(pageOf(document) ?? document, noted.note.keySpan);
        if (!range.contains(position)) return null;
        return new Hover(markdownView((await core()).keyNote(noted.note)), range);
      },
    }),
  );
  store.add(
    languages.registerCompletionItemProvider(
      [...configSelector],
      {
        async provideCompletionItems(document, position, token) {
          const before = document.lineAt(position.line).text.slice(0, position.character);
          const value = VALUE.exec(before);
          if (!value) {
            const analyzed = await analysis.at(document, token);
            if (!analyzed) return [];
            const offset = offsetOn(analyzed.document, document, position);
            return keyItems(analyst, await core(), analyzed, offset);
          }
          const noted = await noteAt(document, position, token);
          const isJson = document.languageId.startsWith('json') && value[2] === '';
          if (noted === null) return [];
          const title = (await core()).told(noted.note.title);
          return noted.note.values.map(one => itemOf(one, title, isJson));
        },
      },
      ' ',
      '"',
    ),
  );
  return store;
}

/** The dialect of a document, as its definition if it does not ship with Headroom. */
export function spokenIn({ analysis }: Analyzed): string | DialectDefinition | null {
  const [first] = analysis.runs;
  return (first && definitionOf(first.run)) ?? analysis.dialect;
}

/** A note, and whether the key's hover is the memory estimate, which includes the note. */
interface Noted {
  readonly note: KeyNote;
  readonly hasSum: boolean;
}

function hasSum({ file, analysis, document }: Analyzed, { keySpan }: KeyNote): boolean {
  const stated = statedIn(file, analysis.runs).some(({ at }) => at.keySpan.start === keySpan.start);
  return stated && setting('editor.hover', document.uri);
}

/** The keys of the config format that are not set yet; documented ones come first. */
async function keyItems(
  analyst: Analyst,
  core: Core,
  { document, text, analysis }: Analyzed,
  offset: number,
): Promise<CompletionItem[]> {
  const run = analysis.runs[0]?.run;
  if (!run || isGeneric(run)) return [];
  const offered = await analyst('keys', { run, text, offset });
  if (offered === null) return [];
  const { range } = placeOn(document, offered.typed);
  return offered.keys.map(({ name, note }) => {
    const word = offered.quoted ? JSON.stringify(name) : name;
    const item = new CompletionItem(name, CompletionItemKind.Property);
    item.range = range;
    item.filterText = word;
    item.insertText = offered.hasValue ? word : `${word}${offered.separator}`;
    item.sortText = `${note ? 0 : 1}${name}`;
    if (note) item.documentation = markdownView(core.keyNote(note));
    return item;
  });
}

/** A config whose keys are the author's own. */
const isGeneric = (run: RunSpec): boolean => definitionOf(run)?.file === '';

function itemOf(value: string, title: string, isJson: boolean): CompletionItem {
  const item = new CompletionItem(value, CompletionItemKind.Value);
  item.detail = title;
  if (isJson) item.insertText = asJson(value);
  return item;
}

/** In JSON, true, false and numbers are not quoted. */
function asJson(value: string): string {
  if (/^(?:true|false|null)$/i.test(value)) return value.toLowerCase();
  return /^-?\d+(?:\.\d+)?$/.test(value) ? value : JSON.stringify(value);
}
