import type { DialectDefinition } from '../core/dialects/defined/definition';
import { parseDefinition } from '../core/dialects/defined/parse';
import type { DefinitionSource, DialectText } from '../core/reading/ports';
import type { Files } from '../core/text/files';
import { DIALECTS, join } from '../core/text/paths';
import { NearbyFiles } from './nearbyFiles';

const DIALECT = /\.ya?ml$/;
const MOST_FILES = 64;

/** A file of a dialect: what it defines, if anything, and its text if it has errors. */
interface Defined {
  readonly definition: DialectDefinition | null;
  readonly faulty: DialectText | null;
}

/** The dialects of `.headroom/dialects` near a file. */
export class Definitions implements DefinitionSource {
  private readonly folders: NearbyFiles<readonly Defined[]>;

  constructor(files: Files) {
    this.folders = new NearbyFiles(DIALECTS, folder => definitionsIn(files, folder));
  }

  /** Of two dialects with the same id, the nearer one to the file wins. */
  async near(file: string): Promise<readonly DialectDefinition[]> {
    const all = (await this.allNear(file)).flatMap(({ definition }) => definition ?? []);
    return all.filter(({ id }, i) => all.findIndex(other => other.id === id) === i);
  }

  async faultyNear(file: string): Promise<readonly DialectText[]> {
    return (await this.allNear(file)).flatMap(({ faulty }) => faulty ?? []);
  }

  /** Called when a dialect file changed. */
  forget(): void {
    this.folders.forget();
  }

  private async allNear(file: string): Promise<readonly Defined[]> {
    return (await this.folders.near(file)).contents.flat();
  }
}

async function definitionsIn(files: Files, folder: string): Promise<readonly Defined[]> {
  const names = (await files.list(folder)).filter(name => DIALECT.test(name)).slice(0, MOST_FILES);
  const read = await Promise.all(
    names.map(async name => {
      const path = join(folder, name);
      const answer = await files.read(path);
      if (!('text' in answer)) return null;
      const { definition, problems } = parseDefinition(path, answer.text);
      return { definition, faulty: problems.length > 0 ? { path, text: answer.text } : null };
    }),
  );
  return read.filter(one => one !== null);
}
