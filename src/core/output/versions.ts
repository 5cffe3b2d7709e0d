/**
 * Printed versions of packages that affect memory: `torch 2.4.1`, `transformers: 4.48.0`, `PyTorch version:
 * 2.6.0+cu124`.
 */
const PRINTED =
  /\b(torch|pytorch|transformers|accelerate|peft|trl|axolotl|llamafactory|deepspeed|bitsandbytes|flash[-_]attn|unsloth|lightning|ultralytics)(?:[ -]?version)?["']?(?:\s*(?:==|[:=])\s*|\s+(?:v\s*)?|v\s*)["']?v?(\d+\.\d+(?:\.\d+)?(?:[.+-]?[a-z]\w*)?)/gi;

const NAMES: Readonly<Record<string, string>> = { pytorch: 'torch', 'flash-attn': 'flash_attn' };

/** The first version that a text states of each package. */
export function versionsIn(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [, written = '', version = ''] of text.matchAll(PRINTED)) {
    const name = NAMES[written.toLowerCase()] ?? written.toLowerCase();
    found[name] ??= version;
  }
  return found;
}
