/** A dialect's file, read and checked at build (scripts/lib/dialectFiles.mjs). */
declare module '*.yaml' {
  const file: import('./defined/definition').DialectFile;
  export default file;
}
