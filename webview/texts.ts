/** Of the page, what this file needs: tests of words have none, and know no DOM. */
interface Page {
  getElementById(id: string): { readonly textContent: string | null } | null;
}

/** The translations that the page carries, by English text; none for English. */
function read(document: Page | undefined): Readonly<Record<string, string>> {
  const text = document?.getElementById('texts')?.textContent ?? '';
  return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, string>>);
}

const TEXTS = read((globalThis as { readonly document?: Page }).document);

/** A literal text in VS Code's language, with `{0}` and further values in their places. */
export function t(text: string, ...values: readonly (string | number)[]): string {
  const own = Object.hasOwn(TEXTS, text) ? (TEXTS[text] ?? text) : text;
  return own.replaceAll(/\{(\d)\}/g, (place, at: string) => String(values[Number(at)] ?? place));
}
