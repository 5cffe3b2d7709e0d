import { CompletionItem, CompletionItemKind, Hover, languages } from 'vscode';
import { definesDialect } from '../core/text/paths';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { rangeOf } from '../host/documents';
import { markdownView } from '../host/markdown';
import { pathOf } from '../host/uris';
import type { EditorServices } from './services';

const FILES = { language: 'yaml', pattern: '**/.headroom/dialects/*.{yaml,yml}' } as const;

/** Documents each key of a dialect's file, and completes keys and words. */
export function registerDialectFiles({ analyst, core }: EditorServices): Disposable {
  const store = new DisposableStore();
  store.add(
    languages.registerHoverProvider(FILES, {
      async provideHover(document, position) {
        if (!definesDialect(pathOf(document.uri))) return null;
        const { keyNote } = await core();
        const at = { text: document.getText(), offset: document.offsetAt(position) };
        const note = await analyst('definitionNote', at);
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
          const at = { text: document.getText(), offset: document.offsetAt(position) };
          const [{ told }, all] = await Promise.all([core(), analyst('suggestions', at)]);
          return all.map(({ label, kind, text }) => {
            const item = new CompletionItem(
              label,
              kind === 'key' ? CompletionItemKind.Property : CompletionItemKind.Value,
            );
            item.documentation = told(text);
            return item;
          });
        },
      },
      ' ',
    ),
  );
  return store;
}
