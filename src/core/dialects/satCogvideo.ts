import { builtIn } from './defined/compile';
import file from './satCogvideo.yaml';
import type { LoraSettings, Method } from '../spec/values';
import type { Dialect } from './dialect';
import { pixels } from './shared/vision';

/** CogVideo's training on SwissArmyTransformer; sources are files of THUDM/CogVideo e519ece (sat). */
export const satCogvideo: Dialect = builtIn(file, {
  quantities: {
    method: run => {
      const key = 'model.network_config.params.modules.lora_config';
      if (run.has(key)) return run.at<Method>(key, 'lora');
      if (run.has('model')) return run.byDefault<Method>('full', 'sat/configs: no lora_config');
      return run.unknown('The model’s config, which is given first on the command line, says it.');
    },
    lora: run => {
      const key = 'model.network_config.params.modules.lora_config.params.r';
      const r = run.count(key);
      if (r === null) return run.none('no lora_config');
      return run.at<LoraSettings>(key, {
        r,
        alpha: null,
        dropout: null,
        targets: null,
        modulesToSave: [],
        rslora: false,
        dora: false,
      });
    },
    imageSize: { read: pixels('hw') },
    precision: run => {
      const half = (['bf16', 'fp16'] as const).find(name => run.flag(`deepspeed.${name}.enabled`));
      if (half) return run.at(`deepspeed.${half}.enabled`, half);
      return run.has('deepspeed')
        ? run.byDefault('fp32', 'deepspeed runtime/config.py')
        : run.unknown('No deepspeed section.');
    },
    precisionRaw: run => {
      const half = ['bf16', 'fp16'].find(name => run.flag(`deepspeed.${name}.enabled`));
      return half === undefined
        ? run.unknown('Neither bf16 nor fp16 is enabled.')
        : run.at(`deepspeed.${half}.enabled`, `deepspeed.${half}.enabled True`);
    },
    strategy: run => {
      const stage = run.count('deepspeed.zero_optimization.stage');
      return stage === null
        ? run.unknown('No ZeRO stage is set.')
        : run.at('deepspeed.zero_optimization.stage', `zero${stage}`);
    },
  },
  details: {
    frames: run => {
      const frames = run.count('data.params.max_num_frames');
      return frames === null
        ? run.unknown('max_num_frames is not set.')
        : run.at('data.params.max_num_frames', frames);
    },
  },
});
