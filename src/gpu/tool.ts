import type { GpuDevice } from './device';
import type { GpuProcess, GpuSample } from './sample';

/** Why a tool gave no devices. */
export type ToolErrorKind =
  | 'command-not-found'
  | 'driver-not-loaded'
  | 'driver-library-mismatch'
  | 'nvml-missing'
  | 'gpu-access-blocked'
  | 'gpu-lost'
  | 'no-devices'
  | 'invalid-field'
  | 'invalid-argument'
  | 'insufficient-permissions'
  | 'device-not-found'
  | 'invalid-subcommand'
  | 'not-supported'
  | 'field-unavailable'
  | 'timed-out'
  | 'unreadable';

export interface ToolError {
  readonly kind: ToolErrorKind;
  /** A sentence for the user: what happened and what to do. */
  readonly message: string;
  /** The tool's own words, one line. */
  readonly text: string;
}

/** What a tool printed, and how it ended. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: not ended, ended by a signal, or not known. */
  readonly exitCode: number | null;
}

/** What can be learnt from a tool's output. Devices and samples come in pairs, in the order of the rows. */
export interface ToolReading {
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  readonly processes: readonly GpuProcess[];
  /** With devices next to it, it is about those that are missing. */
  readonly error: ToolError | null;
  readonly warnings: readonly string[];
  readonly driverVersion: string | null;
  readonly cudaVersion: string | null;
  readonly rocmVersion?: string | null;
  readonly toolVersion?: string | null;
  /** Processes run but are not listed (a container sees none of outside); false: there are none. Absent: not told. */
  readonly processesHidden?: boolean;
  /** Names of fields that may be asked for, where the tool lists them. */
  readonly fields?: readonly string[];
  /** How many GPUs the tool says there are, where that is more than it went on to list. */
  readonly attachedGpus?: number | null;
}

export const NOTHING: ToolReading = {
  devices: [],
  samples: [],
  processes: [],
  error: null,
  warnings: [],
  driverVersion: null,
  cudaVersion: null,
};

/** Reads a stream of rows, line by line, and gives each tick as it becomes complete. */
export interface StreamReader {
  line(text: string, receivedMs: number): readonly ToolReading[];
}

/**
 * A program that knows about GPUs. One file each in tools/; everything about its commands and what it prints is in it or
 * behind it, and nothing about starting processes.
 */
export interface GpuTool {
  readonly id: string;
  readonly vendor: GpuDevice['vendor'];
  /** Of several tools that see the same GPUs the one with the lowest rank is asked first; absent: 50. */
  readonly rank?: number;
  /** The query goes on until it is stopped, too: its first complete reading is the answer. */
  readonly neverEnds?: boolean;
  /** Starting it costs so much that single queries are no closer than this; absent: as close as wanted. */
  readonly leastIntervalMs?: number;
  /** There may be GPUs of its vendor that it does not show: the next tool is asked, too. */
  readonly isPartial?: boolean;
  /** Asked only when no other tool showed anything. */
  readonly isFallback?: boolean;
  /** Names or absolute paths to try, in order. */
  executables(platform: string, variables: Readonly<Record<string, string | undefined>>): readonly string[];
  /** Arguments of a query for devices and samples; without the fields that a driver said it does not know. */
  query(unknownFields: readonly string[]): readonly string[];
  /** The same, repeated by the tool itself; null when it cannot. */
  stream(unknownFields: readonly string[], intervalMs: number): readonly string[] | null;
  /**
   * Arguments of a query for the processes on the devices; null when it cannot. What it says of samples (MIG instances)
   * is taken along.
   */
  processes(devices?: readonly GpuDevice[]): readonly string[] | null;
  /** Arguments of further queries for what the first left open (MIG instances); none when it left nothing. */
  details(devices: readonly GpuDevice[]): readonly (readonly string[])[];
  /** Adds what a detail query said. */
  withDetails(devices: readonly GpuDevice[], detail: ToolReading): readonly GpuDevice[];
  /** Whether this tool's output with these arguments can be read here. */
  canRead(args: readonly string[]): boolean;
  read(args: readonly string[], output: ToolOutput, receivedMs: number): ToolReading;
  /** `devices`: how many rows a tick is expected to have. */
  streamReader(args: readonly string[], devices: number): StreamReader;
  /** What to tell the user when the tool itself could not. */
  problem(kind: ToolErrorKind, text: string): ToolError;
  /** The field an `invalid-field` error names; null when it names none. */
  unknownField(error: ToolError): string | null;
}

/** What a tool has that is asked once, for everything, and cannot loop. A tool spreads it and adds what it can do. */
export const ONE_SHOT = {
  stream: () => null,
  processes: () => null,
  details: () => [],
  withDetails: devices => devices,
  streamReader: () => ({ line: () => [] }),
  unknownField: () => null,
} satisfies Partial<GpuTool>;
