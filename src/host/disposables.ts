/** Something with a lifetime, as VS Code has it. */
export interface Disposable {
  dispose(): unknown;
}

/** Owns disposables and ends them in reverse order; one that comes too late is ended at once. */
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
