interface Result {
  readonly metafile: {
    readonly outputs: Readonly<
      Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
    >;
  };
}

export function bundledPackages(results: readonly Result[]): readonly string[];
