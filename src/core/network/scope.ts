import type { Value } from './values';

/** Names of a module, a class body or a call. */
export class Scope {
  readonly names = new Map<string, Value>();

  constructor(readonly above: Scope | null = null) {}

  get(name: string): Value | undefined {
    const own = this.names.get(name);
    return own === undefined ? this.above?.get(name) : own;
  }

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }
}
