import assert from 'node:assert/strict';
import { redact } from '../../../src/core/text/redact';

/** Made up here and assembled at run time, so that no scanner takes them for real ones. */
const made = (prefix: string): string => `${prefix}${'aB3'.repeat(8)}`;

describe('redaction', () => {
  for (const secret of [made('hf_'), made('ghp_'), made('sk-')]) {
    it(`blots out ${secret.slice(0, 3)}… wherever it stands`, () => {
      assert.equal(redact(`model from ${secret} failed`), 'model from … failed');
    });
  }

  it('blots out what follows the name of a secret', () => {
    assert.equal(redact('WANDB_API_KEY=0123456789'), 'WANDB_API_KEY=…');
    assert.equal(redact('password: "let me in"'), 'password: …');
    assert.equal(redact('Authorization: Bearer abcdefghij'), 'Authorization: Bearer …');
  });

  it('leaves plain words alone', () => {
    const plain = 'Analysis of /runs/tokenizer.yaml: max_tokens 4096';
    assert.equal(redact(plain), plain);
  });
});
