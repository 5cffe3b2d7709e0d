import { CompletionItem, CompletionItemKind, Hover, languages } from 'vscode';
import { definesDialect } from '../core/text/paths';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { rangeOf } from '../host/documents';
import { markdownView } from '../host/markdown';
import { pathOf } from '../host/uris';
import type { EditorServices } from './services';

const FILES = { language: 'yaml', pattern: '**/.headroom/dialects/*.{yaml,yml}' } as const;

/** What each key of a dialect’s file says, and the keys and words that may stand where one is typed. */
export function registerDialectFiles({ core }: EditorServices): Disposable {
  const store = new DisposableStore();
  store.add(
    languages.registerHoverProvider(FILES, {
      async provideHover(document, position) {
        if (!definesDialect(pathOf(document.uri))) return null;
        const { definitionNoteAt, keyNote } = await core();
        const note = definitionNoteAt(document.getText(), document.offsetAt(position));
        const range = note && rangeOf(document, note.keySpan);
        return note && range?.contains(position) ? new Hover(markdownView(keyNote(note)), range) : null;
      },
    }),
  );
  store.add(
    languages.registerCompletionItemProvider(
      FILES,
      {
        async provideCompletionItems(document, position) {
          if (!definesDialect(pathOf(document.uri))) return [];
          const { suggestionsAt } = await core();
          return suggestionsAt(document.getText(), document.offsetAt(position)).map(
            ({ label, kind, text }) => {
              const item = new CompletionItem(
                label,
                kind === 'key' ? CompletionItemKind.Property : CompletionItemKind.Value,
              );
              item.documentation = text;
              return item;
            },
          );
        },
      },
      ' ',
    ),
  );
  return store;
}
