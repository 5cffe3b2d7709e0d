import { isOn, numberOf } from './raw';
import type { Keys } from './raw';

/** Whether the config shards with FSDP, in the new words or the old. */
export const hasFsdp = (keys: Keys): boolean => isOn(keys, 'fsdp_config') || isOn(keys, 'fsdp');

/** Where Axolotl looks for the version, in this order; a config without one is pinned to FSDP1. */
export const FSDP_VERSION_KEYS = ['fsdp_version', 'fsdp_config.fsdp_version', 'fsdp_config.version'];

/** The version that is stated, or null. */
export function fsdpVersion(keys: Keys): number | null {
  for (const key of FSDP_VERSION_KEYS) {
    const version = numberOf(keys, key);
    if (version !== null) return version;
  }
  return null;
}

/** True when a key of `fsdp_config` is on, with or without the old `fsdp_` prefix. */
export const fsdpOn = (keys: Keys, key: string): boolean =>
  isOn(keys, `fsdp_config.${key}`) || isOn(keys, `fsdp_config.fsdp_${key}`);
