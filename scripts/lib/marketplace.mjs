// What the extension page shows: its text, and what its description says of this package.

/**
 * The page of the extension, for a package. VS Code shows pictures from https addresses only: paths in the package and
 * data addresses are dropped. With a repository the packager makes the paths such addresses; without, they are left out.
 */
export const extensionPage = (page, { repository }) =>
  repository ? page : page.replaceAll(/^!\[[^\]]*\]\([^)]*\)\n\n/gm, '');

/** The description of a package with the engine says what its size is for. */
export const descriptionOf = (description, hasEngine) =>
  hasEngine ? `${description} Includes an embedding engine and a model that work offline.` : description;
