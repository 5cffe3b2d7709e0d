export const SEARCH: { readonly fields: string[]; readonly storeFields: string[] };
export function anchorOf(text: string): string;
export function addressOf(path: string): string;
export function siteOf(given: { readonly docs: string; readonly home: string }): ReadonlyMap<string, string>;
