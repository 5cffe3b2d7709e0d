/** Why a file has no text. */
export type FileAbsence = 'missing' | 'directory' | 'denied' | 'too-large' | 'binary' | 'unavailable';

export type FileText = { readonly text: string } | { readonly absence: FileAbsence };

/** Files by core's own paths (see text/paths). Open editors return their unsaved text. */
export interface Files {
  read(path: string): Promise<FileText>;
  /**
   * At most `length` bytes of a file from an offset, fewer at its end; null if it cannot be read. Absent if a host
   * cannot do this: headers of checkpoints are then ignored.
   */
  bytes?(path: string, offset: number, length: number): Promise<Uint8Array | null>;
  /** Sorted names in a folder; empty if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
}
