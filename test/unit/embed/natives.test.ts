import assert from 'node:assert/strict';
import { checkNatives } from '../../../src/embed/engine/natives';
import { EmbedError } from '../../../src/embed/errors';

describe('machine code of the engine', () => {
  it('is asked for before anything is fetched, and where it is missing Python is named', () => {
    checkNatives();
    const missing = (name: string): string => {
      if (name === 'tokenizers') throw new Error('Cannot find module');
      return name;
    };
    assert.throws(
      () => checkNatives(missing),
      (error: unknown) =>
        error instanceof EmbedError &&
        error.fault === 'engine' &&
        /tokenizers could not be loaded .*--worker python\.$/.test(error.message),
    );
  });
});
