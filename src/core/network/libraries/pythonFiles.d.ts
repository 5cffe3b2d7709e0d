/** The bundler loads descriptions of libraries as text. */
declare module '*.py' {
  const text: string;
  export = text;
}
