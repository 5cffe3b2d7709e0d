export function temporaryFolder(prefix: string): { readonly folder: string; readonly remove: () => void };
