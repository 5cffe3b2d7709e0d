/** Why a file gave no text. */
export type FileAbsence = 'missing' | 'directory' | 'denied' | 'too-large' | 'binary' | 'unavailable';

export type FileText = { readonly text: string } | { readonly absence: FileAbsence };

/** Files by core's own paths (see text/paths). Open editors answer with their unsaved text. */
export interface Files {
  read(path: string): Promise<FileText>;
  /**
   * At most so many bytes of a file from a place on, fewer at its end; null where it cannot be read. Absent where a host has
   * no such way: headers of checkpoints are then not looked at.
   */
  bytes?(path: string, offset: number, length: number): Promise<Uint8Array | null>;
  /** Names in a folder, sorted; empty when it is not there. */
  list(folder: string): Promise<readonly string[]>;
}
