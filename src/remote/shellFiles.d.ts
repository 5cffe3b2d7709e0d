/** The bundler loads scripts that run on hosts as text. */
declare module '*.sh' {
  const text: string;
  export = text;
}
