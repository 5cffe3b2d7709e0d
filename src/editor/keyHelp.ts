import { CompletionItem, CompletionItemKind, Hover, languages, MarkdownString } from 'vscode';
import type { CancellationToken, Position, TextDocument } from 'vscode';
import { definitionOf } from '../core/dialects/defined/definition';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import type { KeyNote } from '../core/dialects/keyNotes';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { rangeOf } from '../host/ranges';
import { setting } from '../host/settings';
import type { Analysed } from './analysisService';
import { statedIn } from './runPlaces';
import { configSelector } from './selector';
import type { EditorServices } from './services';

/** `key:` and what has been typed of its value. */
const VALUE = /^\s*(?:- )?[\w.-]+:\s+(['"]?)([^\s#]*)$/;

/** What a dialect knows of a key where the pointer rests on it, and its values where they are few and one is typed. */
export function registerKeyHelp({ analysis, core }: EditorServices): Disposable {
  const noteAt = async (
    document: TextDocument,
    position: Position,
    token: CancellationToken,
  ): Promise<Noted | null> => {
    const analysed = await analysis.at(document, token);
    const dialect = analysed && spokenIn(analysed);
    if (!analysed || dialect === null) return null;
    const note = (await core()).keyNoteAt(dialect, analysed.text, document.offsetAt(position));
    return note && { note, hasSum: hasSum(analysed, note) };
  };
  const store = new DisposableStore();
  store.add(
    languages.registerHoverProvider([...configSelector], {
      async provideHover(document, position, token) {
        const noted = await noteAt(document, position, token);
        if (noted === null || noted.hasSum) return null;
        const range = rangeOf(document, noted.note.keySpan);
        if (!range.contains(position)) return null;
        return new Hover(new MarkdownString((await core()).keyNote(noted.note)), range);
      },
    }),
  );
  store.add(
    languages.registerCompletionItemProvider(
      [...configSelector],
      {
        async provideCompletionItems(document, position, token) {
          const before = document.lineAt(position.line).text.slice(0, position.character);
          if (!VALUE.test(before)) return [];
          const noted = await noteAt(document, position, token);
          return noted ? noted.note.values.map(value => itemOf(value, noted.note.title)) : [];
        },
      },
      ' ',
    ),
  );
  return store;
}

/** The dialect of a document, as its definition where it does not come with Headroom. */
export function spokenIn({ analysis }: Analysed): string | DialectDefinition | null {
  const [first] = analysis.runs;
  return (first && definitionOf(first.run)) ?? analysis.dialect;
}

/** A note, and whether the key's hover is the memory sum, which has the note in it. */
interface Noted {
  readonly note: KeyNote;
  readonly hasSum: boolean;
}

function hasSum({ file, analysis, document }: Analysed, { keySpan }: KeyNote): boolean {
  const stated = statedIn(file, analysis.runs).some(({ at }) => at.keySpan.start === keySpan.start);
  return stated && setting('editor.hover', document.uri);
}

function itemOf(value: string, title: string): CompletionItem {
  const item = new CompletionItem(value, CompletionItemKind.Value);
  item.detail = title;
  return item;
}
