/** Colours, cursor moves and titles of terminals: CSI and OSC sequences of ECMA-48. */
const SEQUENCES = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])`,
  'g',
);

/** What is left of a colour whose escape character was lost on the way: `[36m`. */
const BARE_COLOURS = /\[(?:\d{1,3}(?:;\d{1,3})*)?m(?![\w\]])|\[(?:0|1|3[0-7]|9[0-7])m/g;

const FULL_WIDTH: Readonly<Record<string, string>> = {
  '，': ',',
  '：': ':',
  '；': ';',
  '（': '(',
  '）': ')',
};

/**
 * Who a line is of, as launchers and log shippers write in front of it: times, ranks, actors, `[1,0]<stdout>:`, srun's
 * `0: `. Each is taken off in turn.
 */
const PREFIX = new RegExp(
  [
    String.raw`\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)\s+`,
    String.raw`\[(?:default|rank|local_rank)?\d+\]:\s?`,
    String.raw`\(\w[\w.]*(?: rank=\d+)?,? pid=\d+[^()\n]{0,80}\)\s?`,
    String.raw`\[\d+,\d+\]<std(?:out|err)>:\s?`,
    String.raw`\d{1,4}: `,
  ].join('|'),
  'y',
);

/** A text as a terminal would show it, without colours; what carriage returns overwrite is still there. */
export function withoutColors(text: string): string {
  const bare = text.includes('\u001b') ? text.replace(SEQUENCES, '') : text;
  const uncoloured = bare.includes('[') ? bare.replace(BARE_COLOURS, '') : bare;
  return uncoloured.replace(/[，：；（）]/g, wide => FULL_WIDTH[wide] ?? wide);
}

/** A line without what others wrote in front of it. */
export function withoutPrefix(line: string): string {
  let at = 0;
  for (let taken = 0; taken < 4; taken += 1) {
    PREFIX.lastIndex = at;
    const found = PREFIX.exec(line);
    if (!found) break;
    at += found[0].length;
  }
  return at === 0 ? line : line.slice(at);
}
