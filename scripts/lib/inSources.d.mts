export function inSources(stack: string): string;
