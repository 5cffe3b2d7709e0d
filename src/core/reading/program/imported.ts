import type { Files } from '../../text/files';
import { Project } from '../../python/project';
import { programOf } from '../../python/source';

/** Modules of a project that are looked through: a larger one says nothing. */
const MOST_MODULES = 32;

const FROM =
  /^[ \t]{0,40}from[ \t]{1,4}([.\w]{1,200})[ \t]{1,4}import[ \t]{1,4}(\([^)]{0,2000}|[^\n#(]{0,400})/gm;
const IMPORT = /^[ \t]{0,40}import[ \t]{1,4}([\w., \t]{1,400})/gm;

/** The texts of a program and of the modules that it imports; null: some are not there or not read yet, or there are too many. */
export function modulesOf(text: string, project: Project): readonly string[] | null {
  const texts = new Map<string, string>([[project.path, text]]);
  for (const [path, own] of texts) {
    const files = filesOf(own, path, project);
    if (files === null || texts.size + files.length > MOST_MODULES) return null;
    for (const file of files) {
      const found = texts.get(file) ?? programOf(file, project.text(file) ?? '')?.text ?? null;
      if (found === null) return null;
      texts.set(file, found);
    }
  }
  return project.wanted.size > 0 ? null : [...texts.values()];
}

const firstWord = (text: string): string => text.trim().split(/\s/)[0] ?? '';

/** Files of the project that a program imports; null: one of its own package is not there. */
function filesOf(text: string, path: string, project: Project): readonly string[] | null {
  const from = [...text.matchAll(FROM)].map(([, module = '', names = '']) => {
    const within = module.endsWith('.') ? module : `${module}.`;
    const parts = names
      .replaceAll(/^\(|#[^\n]*/g, '')
      .split(',')
      .map(firstWord);
    return [module, ...parts.filter(one => /^\w+$/.test(one)).map(one => within + one)];
  });
  const plain = [...text.matchAll(IMPORT)].flatMap(([, names = '']) =>
    names.split(',').map(one => [firstWord(one)]),
  );
  const found = new Set<string>();
  for (const [module = '', ...names] of [...from, ...plain]) {
    if (!project.couldHave(module)) continue;
    const files = [module, ...names].flatMap(one => project.moduleFile(one, path) ?? []);
    if (files.length === 0 && module.startsWith('.')) return null;
    for (const file of files) found.add(file);
  }
  return [...found];
}

/** Rounds in which the modules of a program are found: each of them may import others. */
const MOST_ROUNDS = 12;

/** The same of a program that is not read otherwise, with every file that it took; null as well: it is not there. */
export async function wholeCodeOf(
  path: string,
  files: Files,
): Promise<{ readonly texts: readonly string[]; readonly paths: readonly string[] } | null> {
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  const read = async (one: string): Promise<string | null> => {
    const answer = await files.read(one);
    return 'text' in answer ? answer.text : null;
  };
  const own = await read(path);
  const source = own === null ? null : programOf(path, own);
  for (let round = 0; source && round < MOST_ROUNDS; round++) {
    const project = new Project(path, { texts, folders });
    const found = modulesOf(source.text, project);
    const wanted = [...project.wanted];
    const paths = [path, ...texts.keys(), ...folders.keys()];
    if (wanted.length === 0) return found && { texts: found, paths };
    for (const one of wanted) {
      if (one.endsWith('/')) folders.set(one, await files.list(one.slice(0, -1)));
      else texts.set(one, await read(one));
    }
  }
  return null;
}
