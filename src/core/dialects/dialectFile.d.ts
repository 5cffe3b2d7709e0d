/** A dialect's file, read and checked at build (scripts/lib/dialectFiles.mjs). */
declare module '*.yaml' {
  import type { DialectFile } from './defined/definition';

  const file: DialectFile;
  export default file;
}
