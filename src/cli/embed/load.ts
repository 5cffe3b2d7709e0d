import type { Embedding } from '../../embed/chunk';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { BadInput, terminalOutput } from '../output';

/** The engine, loaded only for embedding, so that other verbs need not wait for it. */
async function loadEmbedding(): Promise<Embedding> {
  try {
    const { embedding } = await import('../../embed/chunk');
    return embedding;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new BadInput(
      'This package has no embedding engine. Install the package for your platform (Linux x64 or arm64, Windows x64 or arm64, macOS arm64), or embed with sentence-transformers in Python.',
    );
  }
}

/** Runs a function of the engine; its failures become CLI messages with an exit code. */
export async function withEngineErrors(work: (embedding: Embedding) => Promise<ExitCode>): Promise<void> {
  const embedding = await loadEmbedding();
  try {
    process.exitCode = await work(embedding);
  } catch (error) {
    const fault = embedding.faultOf(error);
    if (fault === null) throw error;
    if (fault.fault !== 'disk' && fault.fault !== 'engine') throw new BadInput(fault.message);
    terminalOutput({}).err(fault.message);
    process.exitCode = EXIT.exceeds;
  }
}
