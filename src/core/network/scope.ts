import type { Value } from './values';

/** Names of a module, a class body or a call. */
export class Scope {
  readonly names = new Map<string, Value>();

  constructor(readonly above: Scope | null = null) {}

  get(name: string): Value | undefined {
    for (let at: Scope | null = this; at !== null; at = at.above) {
      const found = at.names.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }
}
