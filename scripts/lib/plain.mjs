// What tests start says its words without colours: CI, and a terminal, would have it coloured, and texts are compared.

/** For this process and all that it starts. */
export function withoutColors() {
  process.env.NO_COLOR = '1';
  // It beats NO_COLOR, in Node and in most programs.
  delete process.env.FORCE_COLOR;
}
