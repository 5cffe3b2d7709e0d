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
export function withoutMarkup(text: string): string {
  const spaced = text.includes('\u00a0') ? text.replaceAll('\u00a0', ' ') : text;
  if (IS_XML.test(spaced)) return spaced;
  const shown = /<|\[\//.test(spaced) ? withoutElements(spaced) : spaced;
  return shown.includes('&') ? shown.replace(ENTITY, (_, name: string) => NAMES[name] ?? '') : shown;
}
