import { parseDefinition } from '../core/dialects/defined/parse';
import { dialectFolders } from '../core/dialects/defined/folders';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import type { DefinitionSource } from '../core/dialects/ports';
import type { Files } from '../core/text/files';
import { join } from '../core/text/paths';

const DIALECT = /\.ya?ml$/;
const MOST_FILES = 64;

/** The dialects of `.headroom/dialects`, each folder read once until it is forgotten. */
export class Definitions implements DefinitionSource {
  private readonly folders = new Map<string, Promise<readonly DialectDefinition[]>>();

  constructor(private readonly files: Files) {}

  /** Of two with one name the one that is nearer to the file holds. */
  async near(file: string): Promise<readonly DialectDefinition[]> {
    const all = (await Promise.all(dialectFolders(file).map(folder => this.in(folder)))).flat();
    return all.filter(({ id }, i) => all.findIndex(other => other.id === id) === i);
  }

  /** Some dialect file has changed. */
  forget(): void {
    this.folders.clear();
  }

  private in(folder: string): Promise<readonly DialectDefinition[]> {
    const found = this.folders.get(folder) ?? this.read(folder);
    this.folders.set(folder, found);
    return found;
  }

  private async read(folder: string): Promise<readonly DialectDefinition[]> {
    const names = (await this.files.list(folder)).filter(name => DIALECT.test(name)).slice(0, MOST_FILES);
    const parsed = await Promise.all(names.map(name => this.parse(join(folder, name))));
    return parsed.filter(one => one !== null);
  }

  private async parse(path: string): Promise<DialectDefinition | null> {
    const answer = await this.files.read(path);
    return 'text' in answer ? parseDefinition(path, answer.text).definition : null;
  }
}
