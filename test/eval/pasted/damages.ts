/** One way in which a page, a chat or a terminal changes an output, so that not all of it comes back. */
export interface Damage {
  readonly name: string;
  readonly put: (text: string) => string;
}

/** Changes each line; the line break at the end stays one. */
const each =
  (change: (line: string) => string) =>
  (text: string): string => {
    const lines = text.replace(/\n$/, '').split('\n');
    return `${lines.map(change).join('\n')}${text.endsWith('\n') ? '\n' : ''}`;
  };

const wrapped = (width: number): ((text: string) => string) =>
  each(line => line.replace(new RegExp(`.{${width}}(?=.)`, 'gu'), '$&\n'));

/** A part of the lines, from and to a share of them. */
const part =
  (from: number, to: number) =>
  (text: string): string => {
    const lines = text.split('\n');
    return lines.slice(Math.floor(lines.length * from), Math.ceil(lines.length * to)).join('\n');
  };

const PANE = 200;
const HINT = `Hi all, I have a problem with my GPU box, 2 of 8 jobs fail since Monday (driver 535.54.03):\n\n`;
const ASKS = `\n\nWhat could be the reason? I have 64 GB of RAM and 2x 850 W.\nThanks!\n`;

/** Damages as seen in issues, chats, forums and terminals. */
export const damages: readonly Damage[] = [
  { name: 'indentation lost', put: each(line => line.trimStart()) },
  { name: 'blanks collapsed', put: each(line => line.trim().replace(/[ \t]+/g, ' ')) },
  { name: 'blanks collapsed, indented', put: each(line => line.replace(/(\S)[ \t]+/g, '$1 ')) },
  { name: 'blank lines between', put: each(line => `${line}\n`) },
  { name: 'blank lines lost', put: text => text.replace(/\n{2,}/g, '\n') },
  { name: 'wrapped at 80', put: wrapped(80) },
  { name: 'wrapped at 60', put: wrapped(60) },
  { name: 'start cut', put: part(0.25, 1) },
  { name: 'end cut', put: part(0, 0.75) },
  { name: 'one line', put: text => text.replace(/\s*\n\s*/g, ' ') },
  { name: 'words around', put: text => HINT + text.replace(/\n?$/, '\n') + ASKS },
  {
    name: 'words around a fence',
    put: text => `${HINT}\`\`\`\n${text.replace(/\n?$/, '\n')}\`\`\`\n${ASKS}`,
  },
  {
    name: 'prompt between words',
    put: text => `${HINT}user@box:~$ nvidia-smi\n${text.replace(/\n?$/, '\n')}user@box:~$ \n${ASKS}`,
  },
  {
    name: 'under watch',
    put: text => `Every 2.0s: nvidia-smi                    gpu-box: Tue Nov  5 17:00:00 2024\n\n${text}`,
  },
  { name: 'beside a pane', put: each(line => `${line.padEnd(PANE)}│top - 17:00:01 up 12 days, load 3.01`) },
  { name: 'right of a pane', put: each(line => `top - 17:00:01 up 12 days        │${line}`) },
  { name: 'within a box', put: each(line => `│ ${line.padEnd(PANE)} │`) },
  { name: 'quoted by bars', put: each(line => `| ${line}`) },
  { name: 'decimal commas', put: text => text.replace(/(\d)\.(\d)/g, '$1,$2') },
  {
    name: 'typographic quotes',
    put: text => text.replace(/"([^"\n]*)"/g, '\u201c$1\u201d').replaceAll('--', '\u2013'),
  },
  { name: 'a line of dots in the middle', put: text => text.replace(/\n/, '\n...\n') },
];
