interface Part {
  readonly name: string;
  readonly license: string;
  readonly folder: string;
}

export function licenseOf(folder: string): string;
export function noticesOf(folders: readonly string[], parts?: readonly Part[]): string;
