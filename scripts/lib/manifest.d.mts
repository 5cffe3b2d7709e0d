interface Walkthrough {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly { readonly id: string; readonly description: string }[];
}

export function localizedManifest(): {
  readonly contributes: { readonly walkthroughs: readonly Walkthrough[] };
};
