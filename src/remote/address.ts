/** An address of an HTTP server; null: it is none. */
export function parsedAddress(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** An address as a word without slashes, for ids of places, which end at one; `decodeURIComponent` decodes it. */
export const addressWord = ({ href }: URL): string =>
  href
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^http:\/\//, '')
    .replace(/[%/]/g, encodeURIComponent);

/** Why an address is refused. A password in it is not shown. */
export const refusedAddress = (text: string, why: string): string =>
  `“${text.replace(/\/\/[^/@]*@/, '//…@')}” ${why}.`;
