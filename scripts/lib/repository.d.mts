export interface PackageManifest {
  readonly repository?: string | { readonly url: string };
  readonly bugs?: { readonly url: string };
  readonly homepage?: string;
}
export function webAddress(remote: string): string | null;
export function repositoryOf(
  manifest: PackageManifest,
  stated: {
    readonly flag?: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly remote?: string;
  },
): string | null;
export function completed(manifest: PackageManifest, address: string | null): PackageManifest;
