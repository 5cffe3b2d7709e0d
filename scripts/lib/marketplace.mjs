// The extension page's text, and the description of each package.

/**
 * The extension page of a package. VS Code shows only pictures from https addresses, so relative paths and data
 * URIs are dropped. With a repository the packager turns paths into https addresses; without one they are omitted.
 */
export const extensionPage = (page, { repository }) =>
  repository ? page : page.replaceAll(/^!\[[^\]]*\]\([^)]*\)\n\n/gm, '');

/** Explains the size of a package with the engine in its description. */
export const descriptionOf = (description, hasEngine) =>
  hasEngine ? `${description} Includes an embedding engine and a model that work offline.` : description;
