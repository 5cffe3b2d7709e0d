import { EventEmitter, Uri, workspace } from 'vscode';
import { Disposing } from './disposables';
import type { Markdown } from '../core/text/markdown';

/** Headroom's own read-only documents, by name. They are kept until replaced or forgotten. */
export class VirtualDocuments extends Disposing {
  private readonly changed = this.store.add(new EventEmitter<Uri>());
  private readonly texts = new Map<string, string>();

  constructor(private readonly scheme: string) {
    super();
    this.store.add(
      workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: uri => this.texts.get(uri.path) ?? '',
      }),
    );
  }

  /** The URI of a document with this text. The extension of its name decides the language. */
  put(name: string, text: string): Uri {
    const uri = Uri.from({ scheme: this.scheme, path: `/${name}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }

  /** The URI of a Markdown page, whose name ends with `.md`. */
  page(name: string, { source }: Markdown): Uri {
    return this.put(name, source);
  }

  has(name: string): boolean {
    return this.texts.has(`/${name}`);
  }

  forget(uri: Uri): void {
    this.texts.delete(uri.path);
  }
}
