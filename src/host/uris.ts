import { Uri, workspace } from 'vscode';
import type { TextDocument } from 'vscode';
import { isAbsolute, join } from '../core/text/paths';
import { corePath, uriParts } from './paths';

/** Core's path of a file. */
export function pathOf(uri: Uri): string {
  return corePath(uri, workspacePath());
}

/** The workspace folder that contains a path; null outside all folders. */
export function workspaceOf(path: string): string | null {
  const full = fullPath(path);
  const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => corePath(uri));
  return folders.find(folder => full.startsWith(`${folder}/`)) ?? null;
}

/** The full path of a path that core read from a config; relative paths are resolved from the workspace. */
export function fullPath(path: string): string {
  const folder = workspacePath();
  return folder === null || isAbsolute(path) ? path : join(folder, path);
}

/**
 * The URI of a file that core names: the open document with that path, which may be untitled, else the file itself.
 */
export function uriOf(path: string): Uri {
  return openDocument(path)?.uri ?? Uri.from(uriParts(fullPath(path)));
}

/** The open document of a path, with its unsaved text. */
export function openDocument(path: string): TextDocument | undefined {
  const full = fullPath(path);
  return workspace.textDocuments.find(document => !document.isClosed && pathOf(document.uri) === full);
}

function workspacePath(): string | null {
  const folder = workspace.workspaceFolders?.[0];
  return folder ? corePath(folder.uri) : null;
}
