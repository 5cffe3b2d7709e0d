import type { Asker } from './asker';

/** Optimizers of Ultralytics under its own names (engine/trainer.py, build_optimizer): its SGD always has momentum. */
const NAMED: Readonly<Record<string, string>> = { sgd: 'sgd_momentum' };

/** The optimizer that a framework's code makes of a name, where it chooses one itself. */
export function chosenOptimizer(asker: Asker, name: string): string {
  if (asker.run.framework.name !== 'ultralytics') return name;
  if (name.toLowerCase() === 'auto') {
    return asker.assume('adamw', 'AdamW, which `optimizer: auto` takes for up to 10,000 steps (SGD beyond)');
  }
  return NAMED[name.toLowerCase()] ?? name;
}
