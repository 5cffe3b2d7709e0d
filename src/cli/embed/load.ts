import type { Embedding } from '../../embed/chunk';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { BadInput } from '../output';

/** The engine, loaded when something is embedded: everybody else would wait for it. */
export async function loadEmbedding(): Promise<Embedding> {
  const { embedding } = await import('../../embed/chunk');
  return embedding;
}

/** Runs something of the engine; its failures become sentences of the command line with an exit code. */
export async function withSentences(work: (embedding: Embedding) => Promise<ExitCode>): Promise<void> {
  const embedding = await loadEmbedding();
  try {
    process.exitCode = await work(embedding);
  } catch (error) {
    const fault = embedding.faultOf(error);
    if (fault === null) throw error;
    if (fault.fault !== 'disk' && fault.fault !== 'engine') throw new BadInput(fault.message);
    process.stderr.write(`${fault.message}\n`);
    process.exitCode = EXIT.exceeds;
  }
}
