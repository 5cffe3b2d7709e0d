import { builtIn } from './defined/compile';
import file from './yacsDassl.yaml';
import type { Method } from '../spec/values';
import type { Dialect } from './dialect';
import { pixels, rawRow } from './shared/vision';

/** CoOp and other trainers on Dassl; sources are files of KaiyangZhou/CoOp ff61507 and Dassl.pytorch's defaults. */
export const yacsDassl: Dialect = builtIn(file, {
  quantities: {
    method: run =>
      run.has('TRAINER.COOP') || run.has('TRAINER.COCOOP')
        ? run.byCode<Method>('prompt', 'trainers/coop.py: only the prompt learner is trained')
        : run.unknown('The trainer on the command line decides what is trained.'),
    imageSize: { read: pixels('hw'), absent: { value: [224, 224], source: 'dassl/config/defaults.py' } },
    precision: run => {
      const said = run.word('TRAINER.COOP.PREC') ?? run.word('TRAINER.COCOOP.PREC');
      if (said === null) return run.unknown('PREC is the trainer’s own.');
      return run.at(['TRAINER.COOP.PREC', 'TRAINER.COCOOP.PREC'], said === 'amp' ? 'fp16-mixed' : said);
    },
    precisionRaw: rawRow('TRAINER.COOP.PREC', 'TRAINER.COCOOP.PREC'),
  },
});
