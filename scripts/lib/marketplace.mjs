// The extension page's text, the description of each package, and links between its pages.
import { posix } from 'node:path';

/**
 * The extension page of a package. VS Code shows only pictures from https addresses, so relative paths and data
 * URIs are dropped. With a repository the packager turns paths into https addresses; without one they are omitted.
 */
export const extensionPage = (page, { repository }) =>
  repository ? page : page.replaceAll(/^!\[[^\]]*\]\([^)]*\)\n\n/gm, '');

/** Explains the size of a package with the engine in its description. */
export const descriptionOf = (description, hasEngine) =>
  hasEngine ? `${description} Includes an embedding engine and a model that work offline.` : description;

/** The anchors of a page's headings, as Markdown previews make them. */
const anchorsOf = text =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Links of a package's pages to files or headings that it doesn't have, as phrases. `read` gives a file's text. */
export function deadLinks(files, read) {
  const has = new Set(files);
  const isDead = (page, link) => {
    const [path, anchor] = link.split('#');
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    return !has.has(file) || (anchor !== undefined && !anchorsOf(read(file)).includes(anchor));
  };
  return files
    .filter(name => name.endsWith('.md'))
    .flatMap(page => {
      const text = read(page).replaceAll(/^```[^]*?^```$/gm, '');
      return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link]) => link)
        .filter(link => !/^[a-z]+:/.test(link) && isDead(page, link))
        .map(link => `${page} links to ${link}`);
    });
}
