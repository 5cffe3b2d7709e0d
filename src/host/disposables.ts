/** Something with a lifetime, compatible with VS Code's `Disposable`. */
export interface Disposable {
  dispose(): unknown;
}

/** Owns disposables and disposes them in reverse order; one added after disposal is disposed immediately. */
export class DisposableStore implements Disposable {
  private readonly owned: Disposable[] = [];
  private ended = false;

  add<T extends Disposable>(disposable: T): T {
    if (this.ended) disposable.dispose();
    else this.owned.push(disposable);
    return disposable;
  }

  dispose(): void {
    this.ended = true;
    for (const disposable of this.owned.splice(0).reverse()) disposable.dispose();
  }
}

/** Something that owns disposables for as long as it lives. */
export abstract class Disposing implements Disposable {
  protected readonly store = new DisposableStore();

  dispose(): void {
    this.store.dispose();
  }
}
