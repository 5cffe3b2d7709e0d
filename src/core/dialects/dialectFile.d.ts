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
