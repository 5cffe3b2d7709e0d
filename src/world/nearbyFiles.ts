import { nearby } from '../core/text/paths';

/**
 * The contents of one name in the `.headroom` folders near a file. Each place is read once until it is forgotten.
 */
export class NearbyFiles<Content> {
  private readonly known = new Map<string, Promise<Content>>();

  constructor(
    private readonly name: string,
    private readonly read: (path: string) => Promise<Content>,
  ) {}

  /** The places searched, nearest first, and what each holds; `also` are searched last. */
  async near(file: string, also: readonly string[] = []) {
    const paths = [...nearby(file, this.name), ...also];
    return { paths, contents: await Promise.all(paths.map(path => this.in(path))) };
  }

  /** Some of the files changed. */
  forget(): void {
    this.known.clear();
  }

  private in(path: string): Promise<Content> {
    const found = this.known.get(path) ?? this.read(path);
    this.known.set(path, found);
    return found;
  }
}
