import type { Located } from '../../text/located';
import { joined } from '../command/located';
import { LocatedText } from './locatedText';

const FENCE = /^[ \t]{0,12}(?:[-*+>] )?[ \t]*(`{3,}|~{3,})[ \t]*\{?\.?([\w-]*)/;
/** Words behind a fence that say that a shell reads the block; none is as good. */
const SHELLS: ReadonlySet<string> = new Set([
  '',
  'bash',
  'sh',
  'shell',
  'zsh',
  'console',
  'terminal',
  'shell-session',
  'shellscript',
  'text',
  // Commands of one line are the same there.
  'powershell',
  'pwsh',
]);
const PYTHONS: ReadonlySet<string> = new Set(['python', 'py', 'python3']);
/** Blocks of one document. */
const MOST_BLOCKS = 200;

/** The program that the Python blocks of a Markdown text are together, as a reader enters them one after the other. */
export const fencedProgram = (text: string): Located => joined(blocksOf(text, PYTHONS, /^/));

/** The blocks of a Markdown text that a shell would read, without prompts. */
export const fencedBlocks = (text: string): readonly Located[] =>
  blocksOf(text, SHELLS, /^[ \t]*(?:[$>%] )?/);

function blocksOf(text: string, languages: ReadonlySet<string>, lead: RegExp): readonly Located[] {
  const blocks: Located[] = [];
  let fence = '';
  let block: LocatedText | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const [, marks = '', language = ''] = FENCE.exec(line) ?? [];
    if (fence === '' && marks !== '') {
      fence = marks;
      block = languages.has(language.toLowerCase()) ? new LocatedText(text) : null;
    } else if (fence !== '' && marks.startsWith(fence) && language === '') {
      if (block && blocks.length < MOST_BLOCKS) blocks.push(block.done());
      [fence, block] = ['', null];
    } else if (block) {
      const [prompt] = lead.exec(line) ?? [''];
      block.take(at + prompt.length, Math.min(at + line.length + 1, text.length));
    }
    at += line.length + 1;
  }
  return blocks;
}
