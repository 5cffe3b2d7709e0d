/** A dialect file, read and checked at build time (scripts/lib/dialectFiles.mjs). */
declare module '*.yaml' {
  const file: import('./defined/definition').DialectFile;
  export default file;
}

/** The signatures of all dialects with their packs; built at build time. */
declare module '*.signatures' {
  const signatures: import('./engine/scan').PackedSignatures & import('./engine/scan').ScannedCalls;
  export default signatures;
}

/** The commands that start each dialect's own program, by launch lines; listed at build time. */
declare module '*.commands' {
  const commands: readonly string[];
  export default commands;
}

/** All pack files of a folder, and the dialects without code; listed at build time. */
declare module '*.packs' {
  const files: readonly import('./defined/definition').PackFile[];
  export default files;
}

declare module '*.dialects' {
  const files: readonly import('./defined/definition').DialectFile[];
  export default files;
}

/** The format of dialect files (defined/format.yaml). */
declare module '*.format' {
  const format: import('./defined/format').Format;
  export default format;
}
