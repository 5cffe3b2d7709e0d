import type { YamlDocument } from '../yaml/node';
import { sniffKeys } from '../yaml/sniff';
import { dialectFrom } from './defined/compile';
import type { DialectDefinition } from './defined/definition';
import type { Dialect } from './dialect';
import { bestScore, score, signatureKeys } from './engine/signature';
import { resolve } from '../yaml/path';
import { dialectOf } from './find';
import { couldBeRead } from './couldBe';
import { recognition } from './recognise';

/** A dialect, with its definition if it is not built in. */
export interface Known {
  readonly dialect: Dialect;
  readonly definition: DialectDefinition | null;
}

/**
 * The dialects around a file: those that its workspace defines, then those that come with Headroom.
 */
export class KnownDialects {
  constructor(private readonly definitions: readonly DialectDefinition[]) {}

  /** Scans the keys of a text; false if it cannot be a config. */
  couldRead(text: string, path: string): boolean {
    return couldBeRead(text, path) || this.couldBeDefined(text);
  }

  recognize(document: YamlDocument): Known | null {
    const own = this.defined(document);
    if (own) return known(own);
    const { dialect } = recognition(document);
    return dialect && { dialect, definition: null };
  }

  /** The documents of a file that are in a dialect. */
  recognizeAll(documents: readonly YamlDocument[]): readonly (Known & { readonly document: number })[] {
    return documents.flatMap(document => {
      const one = this.recognize(document);
      return one ? [{ ...one, document: document.index }] : [];
    });
  }

  /** A framework's keys are there, without one dialect that has them most clearly. */
  isContested(document: YamlDocument): boolean {
    return recognition(document).contested;
  }

  byId(id: string): Known {
    const definition = this.definitions.find(one => one.id === id);
    return definition ? known(definition) : { dialect: dialectOf(id), definition: null };
  }

  private couldBeDefined(text: string): boolean {
    return this.definitions.some(({ signature }) => {
      const seen = sniffKeys(text, new Set(signatureKeys(signature)));
      return bestScore(signature, seen) >= signature.least;
    });
  }

  /** The best match of the workspace's own dialects; the first one if two are equal. */
  private defined(document: YamlDocument): DialectDefinition | null {
    const root = document.root && resolve(document.root);
    if (root?.kind !== 'map') return null;
    const scored = this.definitions
      .map(definition => ({ definition, points: score(definition.signature, definition.sections, root) }))
      .filter(({ definition, points }) => points >= definition.signature.least)
      .sort((a, b) => b.points - a.points);
    return scored[0]?.definition ?? null;
  }
}

export const known = (definition: DialectDefinition): Known => ({
  dialect: dialectFrom(definition),
  definition,
});
