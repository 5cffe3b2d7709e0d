import { frames, prompt } from './framePrefixes';
import type { Frame } from './framePrefixes';
import { unescaped } from './escapes';

const NAMES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
  '#34': '"',
  '#160': ' ',
};
const ENTITY = /&(lt|gt|amp|quot|apos|nbsp|#39|#x27|#34|#160);/g;

/** Elements in which web pages show outputs; a line with nothing else is left out. */
const ELEMENT =
  /<summary>[^<\n]{0,200}<\/summary>|<\/?(?:pre|code|details|summary|samp|div|p|span|tt|blockquote)(?: [^<>\n]{0,200})?>|<br ?\/?>|\[\/?(?:code|quote|pre|spoiler)(?:=[^\[\]\n]{0,60})?\]/gi;

const withoutElements = (text: string): string =>
  text
    .replace(/<br ?\/?>(?=[^\n])/gi, '\n')
    .split('\n')
    .flatMap(line => {
      const left = line.replace(ELEMENT, '');
      return left !== line && left.trim() === '' ? [] : [left];
    })
    .join('\n');

/** A text of its own markup: XML, whose entities belong to its values. */
const IS_XML = /^\s*(?:<\?xml|<!DOCTYPE|<plist|<nvidia_smi_log)/;

/** A text without the elements and entities of a web page that showed it; hard spaces are spaces. */
function withoutMarkup(text: string): string {
  const spaced = text.includes('\u00a0') ? text.replaceAll('\u00a0', ' ') : text;
  if (IS_XML.test(spaced)) return spaced;
  const shown = /<|\[\//.test(spaced) ? withoutElements(spaced) : spaced;
  return shown.includes('&') ? shown.replace(ENTITY, (_, name: string) => NAMES[name] ?? '') : shown;
}

/** Lines by which a frame is recognized, and how many frames may be around each other. */
const LOOKED_AT = 400;
const MOST_FRAMES = 8;

/** An ASCII stand-in for each character with which people and terminals draw lines; blocks of bars stay. */
const DRAWN: readonly (readonly [RegExp, string])[] = [
  [/[│┃║¦∣❘｜┆┇┊┋╎╏]/g, '|'],
  [/[─━┄┅┈┉╌╍‐‑‒–—]/g, '-'],
  [/[═]/g, '='],
  [/[┌┐└┘├┤┬┴┼╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬┏┓┗┛┣┫┳┻╋╭╮╯╰]/g, '+'],
];

/**
 * The text as its program printed it, without what was put around it on the way: quotes, fences, prompts, line
 * numbers, times and names of log shippers, marks of a diff, escapes of HTML and JSON, indentation. A frame counts
 * only if nearly all lines have it. Takes linear time.
 */
export function unframed(text: string): string {
  const plain = withStraightQuotes(withoutMarkup(unescaped(text.replace(UNSEEN, ''))));
  let lines: readonly string[] = singleSpaced(plain.replace(/\r\n/g, '\n').split('\n'));
  for (let taken = 0; taken < MOST_FRAMES; taken += 1) {
    const whole = withoutFences(lines);
    // A frame may be indented: a list holds a comment.
    const inner = [whole, dedented(whole)].find(one => frames.some(frame => isAround(frame, one))) ?? whole;
    const frame = frames.find(one => isAround(one, inner));
    if (inner.length === lines.length && !frame) break;
    lines = frame ? peeled(frame, inner) : inner;
  }
  return dedented(lines.map(withoutTabs)).join('\n');
}

/** A text whose lines are drawn in ASCII, as most tools draw them. */
export function drawnInAscii(text: string): string {
  return DRAWN.reduce((drawn, [finds, stands]) => drawn.replace(finds, stands), text);
}

/** Characters without width, which pages put into texts. */
const UNSEEN = /[\uFEFF\u200B-\u200D\u2060\u00AD]/g;

/** Quotes as programs print them; word processors and chats make them typographic. */
function withStraightQuotes(text: string): string {
  return /[\u201c-\u201f\u2018-\u201b]/.test(text)
    ? text.replace(/[\u201c-\u201f]/g, '"').replace(/[\u2018-\u201b]/g, "'")
    : text;
}

/** Lines without the blank ones that a page put after each. */
function singleSpaced(lines: readonly string[]): readonly string[] {
  const said = lines.filter(line => !isBlank(line));
  const isSpaced =
    said.length >= FEW_LINES && lines.every((line, at) => isBlank(line) || isBlank(lines[at + 1] ?? ''));
  return isSpaced ? [...said, ''] : lines;
}
const FEW_LINES = 4;

const TAB_STOP = 8;

/** A line whose tabs are blanks up to the next stop again, so that columns and indentation keep their places. */
function withoutTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let wide = '';
  for (const part of line.split(/(\t)/)) {
    wide += part === '\t' ? ' '.repeat(TAB_STOP - (wide.length % TAB_STOP)) : part;
  }
  return wide;
}

const isBlank = (line: string): boolean => line.trim() === '';

/** A fence, or a line that only starts the program. */
const FENCE = /^\s{0,8}(?:```|~~~)[^`\n]{0,40}$/;

function withoutFences(lines: readonly string[]): readonly string[] {
  const left = lines.filter(line => !FENCE.test(line) && !prompt.test(line));
  return left.length === lines.length ? lines : left;
}

function isAround({ share, finds, fits }: Frame, lines: readonly string[]): boolean {
  const seen = lines.filter(line => !isBlank(line)).slice(0, LOOKED_AT);
  const found = seen.flatMap(line => at(finds, line) ?? []);
  if (found.length === 0 || found.length < share * seen.length) return false;
  return fits === undefined || fits(found);
}

function at(finds: RegExp, line: string): string | null {
  finds.lastIndex = 0;
  return finds.exec(line)?.[0] ?? null;
}

/** What is within a frame. A space after it belongs to it if all lines have one; further ones indent the line. */
function peeled({ finds }: Frame, lines: readonly string[]): readonly string[] {
  const within = lines.map(line => line.slice(at(finds, line)?.length ?? 0));
  const areSpaced = within.every((line, i) => line.startsWith(' ') || isBlank(line) || line === lines[i]);
  return areSpaced ? within.map(line => (line.startsWith(' ') ? line.slice(1) : line)) : within;
}

/** Lines without the indentation that all of them share. */
function dedented(lines: readonly string[]): readonly string[] {
  let shared = Infinity;
  for (const line of lines) {
    if (!isBlank(line)) shared = Math.min(shared, line.length - line.trimStart().length);
  }
  return shared > 0 && Number.isFinite(shared) ? lines.map(line => line.slice(shared)) : lines;
}
