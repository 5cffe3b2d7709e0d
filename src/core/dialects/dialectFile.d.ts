/** A dialect's file, read and checked at build (scripts/lib/dialectFiles.mjs). */
declare module '*.yaml' {
  const file: import('./defined/definition').DialectFile;
  export default file;
}

/** The signatures of all dialects, packs included, as far as they speak for a file; made at build. */
declare module '*.signatures' {
  const signatures: import('./engine/scan').PackedSignatures;
  export default signatures;
}

/** All files of a folder's packs, and of the dialects without a file of hooks; listed at build. */
declare module '*.packs' {
  const files: readonly import('./defined/definition').PackFile[];
  export default files;
}

declare module '*.dialects' {
  const files: readonly import('./defined/definition').DialectFile[];
  export default files;
}
