import type { Located } from '../../text/located';
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
/** Blocks of one document. */
const MOST_BLOCKS = 200;

/** The blocks of a Markdown text that a shell would read, without prompts. */
export function fencedBlocks(text: string): readonly Located[] {
  const blocks: Located[] = [];
  let fence = '';
  let block: LocatedText | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const [, marks = '', language = ''] = FENCE.exec(line) ?? [];
    if (fence === '' && marks !== '') {
      fence = marks;
      block = SHELLS.has(language.toLowerCase()) ? new LocatedText(text) : null;
    } else if (fence !== '' && marks.startsWith(fence) && language === '') {
      if (block && blocks.length < MOST_BLOCKS) blocks.push(block.done());
      [fence, block] = ['', null];
    } else if (block) {
      const [prompt] = /^[ \t]*(?:[$>%] )?/.exec(line) ?? [''];
      block.take(at + prompt.length, Math.min(at + line.length + 1, text.length));
    }
    at += line.length + 1;
  }
  return blocks;
}
