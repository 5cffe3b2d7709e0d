import type { Disposable } from './disposables';
import { onSettings, setting } from './settings';
import type { Settings } from './settings';

type SwitchKey = { [Key in keyof Settings]: Settings[Key] extends boolean ? Key : never }[keyof Settings];

/** A feature that exists while its setting is on: nothing of it is registered while it is off. */
export function whileOn(key: SwitchKey, start: () => Disposable): Disposable {
  let running: Disposable | null = null;
  const follow = (): void => {
    const on = setting(key);
    if (on && !running) running = start();
    if (!on) stop();
  };
  const stop = (): void => {
    running?.dispose();
    running = null;
  };
  const listener = onSettings([key], follow);
  follow();
  return {
    dispose() {
      listener.dispose();
      stop();
    },
  };
}
