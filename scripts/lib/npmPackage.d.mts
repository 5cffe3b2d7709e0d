interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly purl: string;
  readonly externalReferences?: readonly object[];
}

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component?: { readonly 'bom-ref': string; readonly name?: string };
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

export function filesOfProgram(dist: string): readonly string[];
export function npmManifest(
  manifest: object,
  parts: { readonly description: string; readonly engine: Readonly<Record<string, string>> },
): Readonly<Record<string, unknown>>;
export function billOf(bill: Bill, packages: readonly string[]): Bill;
