import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/** Replaces a file atomically: a reader sees the old text or the new one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}
