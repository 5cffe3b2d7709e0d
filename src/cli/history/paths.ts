import { join } from '../../core/text/paths';
import { corePath } from '../../world/environment';

/** A log's path below a folder, in core's notation. */
export const joinPath = (folder: string, path: string): string => join(corePath(folder), path);
