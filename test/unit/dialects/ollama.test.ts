import assert from 'node:assert/strict';
import { judge } from '../core/support';

const GGUF = 'hf.co/bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q4_K_M';
const MODELFILE = `# a tuned model\nFROM ${GGUF}\nPARAMETER temperature 0.2\nPARAMETER num_ctx 16384\nSYSTEM """FROM here"""\nPARAMETER num_gpu 99\n`;

const gibOf = async (files: Readonly<Record<string, string>>): Promise<number> => {
  const { runs } = await judge(files, 'RTX 4090');
  return (runs[0]?.estimate?.devices[0]?.device.expected ?? Number.NaN) / 2 ** 30;
};

describe('dialects: Ollama', () => {
  it('reads a Modelfile as the command that runs it', async () => {
    for (const name of [
      'Modelfile',
      'Modelfile.tuned',
      'tuned.Modelfile',
      'llama3-modelfile',
      'ownModelfile',
      'modelfiles/coder_modelfile',
    ]) {
      const { runs } = await judge({ [name]: MODELFILE }, 'RTX 4090');
      const { quantities, details, dialect } = runs[0]?.run ?? assert.fail(name);
      assert.equal(dialect, 'ollama');
      assert.equal(quantities.model.value, GGUF);
      assert.equal(quantities.seqLen.value, 16_384);
      assert.equal(details.ggml?.value?.gpuLayers, 99);
      assert.equal(quantities.seqLen.origin.kind === 'file' && quantities.seqLen.origin.at.line, 4);
    }
  });

  it('takes the model that a container of its image pulls; a script may pull for others', async () => {
    const command = `["/bin/sh", "-c", "ollama serve & sleep 5 && ollama pull ${GGUF} && wait"]`;
    const service = `services:\n  llm:\n    image: ollama/ollama:0.12.3\n    gpus: all\n    entrypoint: ${command}
    environment: {OLLAMA_CONTEXT_LENGTH: 8192}\n`;
    const { runs } = await judge({ 'compose.yaml': service }, 'RTX 4090');
    assert.equal(runs[0]?.run.quantities.model.value, GGUF);
    assert.equal(runs[0].run.quantities.seqLen.value, 8192);
    const script = await judge({ 'setup.sh': `#!/bin/sh\nollama pull ${GGUF}\n` }, 'RTX 4090');
    assert.equal(script.runs.length, 0);
  });

  it('supposes the file that llama.cpp takes of a repository', async () => {
    const supposed = async (repository: string) => {
      const script = `llama-server -hf ${repository} -c 4096 -ngl 99\n`;
      return (
        (await judge({ 'serve.sh': script }, 'RTX 4090')).runs[0]?.estimate?.assumptions.join('; ') ?? ''
      );
    };
    assert.match(await supposed('bartowski/Meta-Llama-3.1-8B-Instruct-GGUF'), /the file in Q4_K_M/);
    assert.match(await supposed('ggml-org/gpt-oss-20b-GGUF'), /the file in MXFP4/);
    assert.doesNotMatch(await supposed('bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q8_0'), /the file in/);
  });

  it('takes the context for each request, and says when none is stated', async () => {
    const one = await gibOf({ Modelfile: MODELFILE });
    const command = 'ollama run ' + GGUF;
    const four = await gibOf({
      'compose.yaml': `services:\n  llm:\n    image: ollama/ollama\n    gpus: all\n    entrypoint: []\n    command: ${command}\n    environment:\n      OLLAMA_CONTEXT_LENGTH: 16384\n      OLLAMA_NUM_PARALLEL: 4\n`,
    });
    // Keys and values of Llama 3.1 8B: 128 KiB a token.
    assert.ok(Math.abs(four - one - 6) < 0.3, `${one} ${four}`);
    const { runs } = await judge({ 'run.sh': `#!/bin/sh\n${command}\n` }, 'RTX 4090');
    assert.equal(runs[0]?.run.quantities.seqLen.value, null);
  });
});
