import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Device } from './messages';

const DEVICES = ['auto', 'cpu', 'cuda', 'dml', 'coreml', 'webgpu'] as const;

export type DeviceOption = (typeof DEVICES)[number];

export interface ChosenDevice {
  readonly device: Device;
  /** Which device and why, as a sentence without a period. */
  readonly why: string;
  /** Whether the CPU is an acceptable fallback. */
  readonly mayFallBack: boolean;
}

/** onnxruntime's own package lacks this file; its install script or the user adds it. */
const CUDA_PROVIDER = 'libonnxruntime_providers_cuda.so';

/** The device to run on. `auto` uses a GPU only if its libraries are next to onnxruntime. */
export function chooseDevice(requested: DeviceOption): ChosenDevice {
  if (requested !== 'auto') {
    return { device: requested, why: `${named(requested)}, as requested`, mayFallBack: false };
  }
  if (hasCuda()) return { device: 'cuda', why: 'CUDA (libraries found)', mayFallBack: true };
  return { device: 'cpu', why: 'the CPU (onnxruntime has no CUDA libraries here)', mayFallBack: false };
}

const NAMES: Readonly<Record<Device, string>> = {
  cpu: 'the CPU',
  cuda: 'CUDA',
  dml: 'DirectML',
  coreml: 'CoreML',
  webgpu: 'WebGPU',
};

const named = (device: Device): string => NAMES[device];

function hasCuda(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
    return existsSync(join(folder, 'bin/napi-v6/linux/x64', CUDA_PROVIDER));
  } catch {
    return false;
  }
}
