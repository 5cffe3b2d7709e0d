import { builtIn } from './defined/compile';
import file from './cosyvoice.yaml';
import type { Dialect } from './dialect';

/** CosyVoice's recipes in HyperPyYAML; sources are files of FunAudioLLM/CosyVoice ace7c47. */
export const cosyvoice: Dialect = builtIn(file, {
  quantities: {
    model: run => {
      const name = /^!new:([\w.]+)$/.exec(run.tag('llm') ?? '')?.[1];
      return name === undefined ? run.unknown('No language model is named.') : run.at('llm', name);
    },
  },
});
