import type { DialectDefinition } from '../core/dialects/defined/definition';
import { parseDefinition } from '../core/dialects/defined/parse';
import type { DefinitionSource } from '../core/dialects/ports';
import type { Files } from '../core/text/files';
import { DIALECTS, join } from '../core/text/paths';
import { NearbyFiles } from './nearbyFiles';

const DIALECT = /\.ya?ml$/;
const MOST_FILES = 64;

/** The dialects of `.headroom/dialects` near a file. */
export class Definitions implements DefinitionSource {
  private readonly folders: NearbyFiles<readonly DialectDefinition[]>;

  constructor(files: Files) {
    this.folders = new NearbyFiles(DIALECTS, folder => definitionsIn(files, folder));
  }

  /** Of two dialects with the same id, the nearer one to the file wins. */
  async near(file: string): Promise<readonly DialectDefinition[]> {
    const all = (await this.folders.near(file)).contents.flat();
    return all.filter(({ id }, i) => all.findIndex(other => other.id === id) === i);
  }

  /** Called when a dialect file changed. */
  forget(): void {
    this.folders.forget();
  }
}

async function definitionsIn(files: Files, folder: string): Promise<readonly DialectDefinition[]> {
  const names = (await files.list(folder)).filter(name => DIALECT.test(name)).slice(0, MOST_FILES);
  const parsed = await Promise.all(
    names.map(async name => {
      const path = join(folder, name);
      const answer = await files.read(path);
      return 'text' in answer ? parseDefinition(path, answer.text).definition : null;
    }),
  );
  return parsed.filter(one => one !== null);
}
