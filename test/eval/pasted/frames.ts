/** One way in which people's tools frame an output on its way. */
export interface Framing {
  readonly name: string;
  readonly put: (text: string) => string;
  /** What it rightly adds to a reading of an out-of-memory text. */
  readonly adds?: 'rank';
}

/** Frames each line; the line break at the end stays one. */
const each =
  (frame: (line: string, at: number) => string) =>
  (text: string): string => {
    const lines = text.replace(/\n$/, '').split('\n');
    return `${lines.map(frame).join('\n')}${text.endsWith('\n') ? '\n' : ''}`;
  };

const before = (prefix: string): ((text: string) => string) => each(line => prefix + line);

const two = (at: number): string => String(at % 60).padStart(2, '0');
const clock = (at: number): string => `17:${two(Math.floor(at / 60))}:${two(at)}`;

const inJson = (text: string): string => JSON.stringify(text);
const inHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const quoted = before('> ');
const fenced = (text: string): string => `\`\`\`\n${text.replace(/\n?$/, '\n')}\`\`\`\n`;
const indented = before('    ');
/** Runs of blanks that end at a tab stop, as `unexpand` and some editors write them. */
const tabbed = each(line =>
  line.replace(/.{1,8}/gsu, part =>
    / {2,}$/.test(part) && part.length === 8 ? part.replace(/ +$/, '\t') : part,
  ),
);
const isXml = (text: string): boolean => /^\s*</.test(text);

/** Frames as seen in issues, chats, consoles and log stores. */
export const framings: readonly Framing[] = [
  { name: 'quoted', put: quoted },
  { name: 'quoted without a space', put: before('>') },
  { name: 'quoted, blanks cut', put: text => quoted(text).replace(/ +$/gm, '') },
  { name: 'quoted twice', put: before('> > ') },
  { name: 'quoted twice, tight', put: before('>> ') },
  { name: 'fenced', put: fenced },
  { name: 'fenced with a language', put: text => fenced(text).replace('```', '```text') },
  { name: 'fenced with tildes', put: text => `~~~\n${text.replace(/\n?$/, '\n')}~~~\n` },
  { name: 'quoted fence', put: text => quoted(fenced(text)) },
  { name: 'fenced, in a list', put: text => before('  ')(fenced(text)) },
  { name: 'indented', put: indented },
  { name: 'indented by a tab', put: before('\t') },
  { name: 'after a prompt', put: text => `$ python train.py\n${text}` },
  {
    name: 'after a prompt of a user',
    put: text => `(env) ubuntu@gpu-box-1:~/work$ ./run.sh\n${text}`.replace('./run.sh', 'bash run.sh'),
  },
  { name: 'after a prompt of root', put: text => `[root@node01 ~]# sudo bash run.sh\n${text}` },
  { name: 'after a prompt of PowerShell', put: text => `PS C:\\Users\\me> python train.py\n${text}` },
  { name: 'after a cell', put: text => `In [12]: !python train.py\n${text}` },
  { name: 'numbered by cat', put: each((line, at) => `${String(at + 1).padStart(6)}\t${line}`) },
  { name: 'numbered by grep', put: each((line, at) => `${at + 1}:${line}`) },
  { name: 'numbered by an editor', put: each((line, at) => `${String(at + 120).padStart(5)} | ${line}`) },
  { name: 'times of ISO', put: each((line, at) => `2024-11-05T${clock(at)}.123456Z ${line}`) },
  { name: 'times of GitHub', put: each((line, at) => `2024-11-05T${clock(at)}.1234567Z ${line}`) },
  { name: 'times of Python', put: each((line, at) => `2024-11-05 ${clock(at)},123 ${line}`) },
  {
    name: 'times and level of Python',
    put: each((line, at) => `2024-11-05 ${clock(at)},123 - INFO - ${line}`),
  },
  { name: 'times, logger, level', put: each((line, at) => `2024-11-05 ${clock(at)} INFO: ${line}`) },
  { name: 'times in brackets', put: each((line, at) => `[2024-11-05 ${clock(at)}] ${line}`) },
  { name: 'times of day in brackets', put: each((line, at) => `[${clock(at)}] ${line}`) },
  { name: 'level of logging', put: before('INFO:root:') },
  { name: 'level in brackets', put: before('[INFO] ') },
  { name: 'journal', put: each((line, at) => `Nov  5 ${clock(at)} gpu-box python[4242]: ${line}`) },
  {
    name: 'journal of a unit',
    put: each((line, at) => `Nov 15 ${clock(at)} gpu-box.local trainer.service[77]: ${line}`),
  },
  { name: 'kernel', put: each((line, at) => `[ ${1000 + at}.123456] ${line}`) },
  { name: 'rank', put: before('[rank0]: '), adds: 'rank' },
  { name: 'rank of torchrun', put: before('[default0]:'), adds: 'rank' },
  { name: 'pid of Ray', put: before('(pid=1234) ') },
  { name: 'worker of Ray', put: before('(RayTrainWorker pid=1234, ip=10.0.0.7) ') },
  { name: 'worker of MPI', put: before('[1,0]<stdout>:'), adds: 'rank' },
  { name: 'label of srun', put: before('0: '), adds: 'rank' },
  { name: 'service of Compose', put: before('trainer-1  | ') },
  { name: 'service of old Compose', put: before('trainer_1  | ') },
  { name: 'pod of kubectl', put: before('[pod/trainer-7d9c/main] ') },
  {
    name: 'container runtime',
    put: each((line, at) => `2024-11-05T${clock(at)}.123456789Z stdout F ${line}`),
  },
  {
    name: 'log of Docker',
    put: text =>
      each((line, at) =>
        JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: `2024-11-05T${clock(at)}Z` }),
      )(text),
  },
  { name: 'HTML', put: text => `<pre><code>${inHtml(text)}</code></pre>\n` },
  { name: 'HTML, escaped only', put: inHtml },
  { name: 'hard spaces', put: text => (isXml(text) ? text : text.replaceAll('  ', ' \u00a0')) },
  { name: 'ANSI colors', put: each(line => `\u001b[32m${line}\u001b[0m`) },
  { name: 'ANSI colors, spelled', put: each(line => `\\x1b[32m${line}\\x1b[0m`) },
  { name: 'ANSI colors in carets', put: each(line => `^[[1;32m${line}^[[0m`) },
  { name: 'CRLF', put: text => text.replace(/\r?\n/g, '\r\n') },
  { name: 'CRLF, quoted', put: text => quoted(text).replace(/\r?\n/g, '\r\n') },
  { name: 'string of JSON', put: inJson },
  { name: 'string of JSON in ASCII', put: text => ascii(inJson(text)) },
  { name: 'string without quotes', put: text => inJson(text).slice(1, -1) },
  {
    name: 'bytes of Python',
    put: text =>
      `b'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`,
  },
  { name: 'escaped drawing', put: text => text.replace(/[\u2500-\u259f]/g, ascii) },
  { name: 'blanks cut', put: text => text.replace(/[ \t]+$/gm, '') },
  { name: 'blanks added', put: each(line => `${line}   `) },
  { name: 'tabs for blanks', put: text => (isXml(text) ? text : tabbed(text)) },
  { name: 'diff', put: before('+') },
  { name: 'comment', put: before('# ') },
  { name: 'comment of C', put: before('// ') },
  { name: 'byte order mark', put: text => `\uFEFF${text}` },
  {
    name: 'times, then rank',
    put: each((line, at) => `2024-11-05T${clock(at)}Z [rank0]: ${line}`),
    adds: 'rank',
  },
  {
    name: 'Compose, then times',
    put: each((line, at) => `trainer-1  | 2024-11-05 ${clock(at)},123 ${line}`),
  },
];
