/** Cuts text into lines; a line is given on when its end has come. Of one that does not end, only the end is kept. */
export class Lines {
  private rest = '';

  constructor(
    private readonly mostCharacters: number,
    private readonly give: (line: string) => void,
  ) {}

  add(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = this.rest + text.slice(from, end);
      this.rest = '';
      from = end + 1;
      this.give(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.rest = (this.rest + text.slice(from)).slice(-this.mostCharacters);
  }
}
