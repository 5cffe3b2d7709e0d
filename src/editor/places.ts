import { Location } from 'vscode';
import type { Uri } from 'vscode';
import type { Span } from '../core/text/span';
import { rangeIn } from '../host/documents';
import { placeOn } from '../host/pages';
import type { Page } from '../host/pages';
import { uriOf } from '../host/uris';
import type { AnalysisRequest, FileAnalysis } from './analyst';

/** An analysis, its request, and the source of the text. */
export interface LocatedAnalysis extends FileAnalysis, AnalysisRequest {
  readonly uri: Uri;
  /** The open page that was analyzed; none for a file that was read from disk. */
  readonly document?: Page;
}

/** The location of a span in one of the analyzed files. */
export function locationIn(analyzed: LocatedAnalysis, file: string, span: Span): Location {
  const own = file === analyzed.file;
  if (own && analyzed.document) return placeOn(analyzed.document, span);
  const text = own ? analyzed.text : (analyzed.texts[file] ?? '');
  return new Location(own ? analyzed.uri : uriOf(file), rangeIn(text, span));
}
