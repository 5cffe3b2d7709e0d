import type { Framework } from '../../../spec/runSpec';
import { compareReleases } from '../../../spec/version';
import type { Behavior } from './behavior';
import { releaseOf } from './releases';

const isLitgpt = ({ name }: Framework): boolean => name === 'litgpt';

/**
 * litgpt's own model: its head is no embedding's weight, whatever the config says (litgpt/model.py, GPT.__init__; the
 * conversion doubles it), Lightning's plug-in quantises every linear layer, the head too (BitsandbytesPrecision without
 * `ignore_modules`), and each of several devices holds what is no block in full (generate/sequentially.py, generate/tp.py).
 */
export const litgptCode = (
  framework: Framework,
): Pick<Behavior, 'tiesHead' | 'quantizesHead' | 'spreadsBlocks'> => ({
  tiesHead: !isLitgpt(framework),
  quantizesHead: isLitgpt(framework),
  spreadsBlocks: isLitgpt(framework),
});

/** The only release of bitsandbytes that litgpt supports (generate/base.py). */
const LITGPT_BITSANDBYTES = '0.42.0';

/**
 * bitsandbytes before 0.43 quantised from fp16 (nn/modules.py, Params4bit.cuda: `.half()`), dequantises into it, and
 * casts that to the dtype of the input (autograd/_functions.py, MatMul4Bit).
 */
export function unpacksToHalf(framework: Framework): boolean {
  const release = releaseOf(framework, 'bitsandbytes') ?? (isLitgpt(framework) ? LITGPT_BITSANDBYTES : null);
  return release !== null && compareReleases(release, '0.43') < 0;
}
