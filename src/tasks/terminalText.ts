/** Bytes of an output file as a terminal takes them: colours as they are, every line's end brought back to its start. */
export class TerminalText {
  private readonly decoder = new TextDecoder('utf-8');
  private endsInReturn = false;

  /** The next piece; characters and line ends may be cut between two. */
  take(bytes: Uint8Array): string {
    const text = this.decoder.decode(bytes, { stream: true });
    const isReturned = (at: number): boolean => (at === 0 ? this.endsInReturn : text[at - 1] === '\r');
    const shown = text.replace(/\n/g, (end, at: number) => (isReturned(at) ? end : `\r${end}`));
    if (text !== '') this.endsInReturn = text.endsWith('\r');
    return shown;
  }
}
