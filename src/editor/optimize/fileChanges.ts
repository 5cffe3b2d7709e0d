import type { Uri } from 'vscode';
import type { KeyEdit } from '../../core/yaml/keyEdit';
import { applyEdits } from '../../core/text/textEdit';
import type { TextEdit } from '../../core/text/textEdit';
import { uriOf } from '../../host/uris';
import type { LocatedAnalysis } from '../places';

/** A plan's changes to one file. */
export interface FileChange {
  readonly uri: Uri;
  /** The text that was analyzed. */
  readonly before: string;
  readonly after: string;
  readonly edits: readonly TextEdit[];
  /** The purpose of each edit. */
  readonly keys: readonly KeyEdit[];
}

/** A plan's edits by file, the document's own file first. */
export function fileChanges(analyzed: LocatedAnalysis, edits: readonly KeyEdit[]): FileChange[] {
  const own = analyzed.file;
  const files = [...new Set([own, ...edits.map(edit => edit.file)])];
  return files.flatMap(file => {
    const keys = edits.filter(edit => edit.file === file);
    const here = keys.map(({ edit }) => edit);
    const before = file === own ? analyzed.text : analyzed.texts[file];
    if (here.length === 0 || before === undefined) return [];
    const uri = file === own ? analyzed.uri : uriOf(file);
    return [{ uri, before, after: applyEdits(before, here), edits: here, keys }];
  });
}
