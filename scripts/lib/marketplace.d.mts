export function extensionPage(page: string, manifest: { readonly repository?: string }): string;
export function descriptionOf(description: string, hasEngine: boolean): string;
export function deadLinks(files: readonly string[], read: (file: string) => string): string[];
