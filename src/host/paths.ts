/** The parts of a VS Code URI that locate a file; its text parts are decoded. */
interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

const DRIVE = /^\/[A-Za-z]:/;

/**
 * A URI in core's notation: `/a/b`, `c:/a/b`, `scheme://authority/a/b`. An untitled document gets the path where it
 * would be saved, else one in `folder` (core's path of the workspace folder), so that the files it names are found.
 */
export function corePath(uri: UriParts, folder: string | null = null): string {
  if (uri.scheme === 'untitled' && !uri.path.startsWith('/')) {
    return folder === null ? `untitled://${uri.path}` : `${folder}/${uri.path}`;
  }
  const onDisk = uri.scheme === 'file' || uri.scheme === 'untitled';
  if (!onDisk || uri.authority !== '') return `${uri.scheme}://${uri.authority}${uri.path}`;
  return DRIVE.test(uri.path) ? uri.path.slice(1) : uri.path;
}

/** The inverse of `corePath`, for every file except untitled ones. */
export function uriParts(path: string): UriParts {
  const remote = /^([A-Za-z][\w+.-]+):\/\/([^/]*)(.*)$/.exec(path);
  if (remote) return { scheme: remote[1] ?? '', authority: remote[2] ?? '', path: remote[3] ?? '' };
  return { scheme: 'file', authority: '', path: path.startsWith('/') ? path : `/${path}` };
}
