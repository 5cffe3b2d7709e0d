/** Colors, cursor movement and titles of terminals: CSI and OSC sequences of ECMA-48. */
const SEQUENCES = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])`,
  'g',
);

/** Color codes that lost their escape character: `[36m`. */
const BARE_COLORS = /\[(?:\d{1,3}(?:;\d{1,3})*)?m(?![\w\]])|\[(?:0|1|3[0-7]|9[0-7])m/g;

const FULL_WIDTH: Readonly<Record<string, string>> = {
  '，': ',',
  '：': ':',
  '；': ';',
  '（': '(',
  '）': ')',
};

/** Words of logs in Chinese and Japanese that the readers know in English. */
const WORDS: Readonly<Record<string, string>> = {
  训练轮次: 'epoch ',
  轮次: 'epoch ',
  エポック: 'epoch ',
  步数: 'step ',
  迭代次数: 'iter ',
  迭代: 'iter ',
  ステップ: 'step ',
  损失值: 'loss ',
  损失: 'loss ',
  損失: 'loss ',
  学习率: 'lr ',
  学習率: 'lr ',
  剩余时间: 'time left ',
};

/** Numbers as Python's libraries represent them: `tensor(0.3005, device='cuda:0')`, `np.float32(0.5)`. */
const WRAPPED =
  /\b(?:tensor|array|(?:np\.|numpy\.)?float\d\d)\(([-+]?[\d.]{1,30}(?:e[-+]?\d{1,3})?)(?:, ?[^()\n]{0,80})?\)/g;

const FOREIGN = new RegExp(`${Object.keys(WORDS).join('|')}|[，：；（）]`, 'g');

/**
 * Prefixes of launchers and log shippers: times, ranks, actors, `[1,0]<stdout>:`, srun's `0: `. Removed one after
 * another.
 */
const PREFIX = new RegExp(
  [
    String.raw`\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)\s+`,
    String.raw`\[(?:default|rank|local_rank)?\d+\]:\s?`,
    String.raw`\(\w[\w.]*(?: rank=\d+)?,? pid=\d+[^()\n]{0,80}\)\s?`,
    String.raw`\[\d+,\d+\]<std(?:out|err)>:\s?`,
    String.raw`\d{1,4}: (?!\d{1,12}\.\d{1,12}, )`,
  ].join('|'),
  'y',
);

/** A text without colors; keeps what carriage returns overwrite. */
export function withoutColors(text: string): string {
  const bare = text.includes('\u001b') ? text.replace(SEQUENCES, '') : text;
  const uncolored = bare.includes('[') ? bare.replace(BARE_COLORS, '') : bare;
  const bareNumbers = uncolored.includes('(') ? uncolored.replace(WRAPPED, '$1') : uncolored;
  return bareNumbers.replace(FOREIGN, found => FULL_WIDTH[found] ?? WORDS[found] ?? found);
}

/** A line without the prefixes of launchers. */
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
