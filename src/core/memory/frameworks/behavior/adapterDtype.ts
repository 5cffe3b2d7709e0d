import type { Framework } from '../../../spec/runSpec';
import type { Behavior } from './behavior';
import { inRelease, releaseOf } from './releases';
import type { Release } from './releases';

/**
 * peft 0.12 widens adapters to fp32 (autocast_adapter_dtype). From 0.6 on update_layer moved them to the dtype of the layer's
 * weight; before, they stayed as torch makes them (tuners/lora/layer.py of these wheels).
 */
const WIDE_ADAPTERS: readonly [Release<boolean>, ...Release<boolean>[]] = [
  { since: '0.12', value: true },
  { since: '0.6', value: false },
  { since: '0', value: true },
];

/** What transformers was when these came out (July 2024, November 2023). */
const PEFT_OF_TRANSFORMERS: readonly [Release<string>, ...Release<string>[]] = [
  { since: '4.43', value: '0.12' },
  { since: '4.35', value: '0.6' },
  { since: '0', value: '0' },
];

export function widensAdapters(framework: Framework, transformers: string): Behavior['widensAdapters'] {
  const peft = releaseOf(framework, 'peft') ?? inRelease(PEFT_OF_TRANSFORMERS, transformers);
  return inRelease(WIDE_ADAPTERS, peft) ? 'always' : 'quantised';
}
