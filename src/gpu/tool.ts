import type { GpuDevice } from './device';
import type { GpuProcess, GpuSample } from './sample';

/** Why a tool reported no devices. */
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
  /** The tool's own words, in one line. */
  readonly text: string;
}

/** A tool's output, and how it ended. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: still running, ended by a signal, or unknown. */
  readonly exitCode: number | null;
}

/** The data in a tool's output. Devices and samples come in pairs, in the order of the rows. */
export interface ToolReading {
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  readonly processes: readonly GpuProcess[];
  /** If there are devices, the error is about missing ones. */
  readonly error: ToolError | null;
  readonly warnings: readonly string[];
  readonly driverVersion: string | null;
  readonly cudaVersion: string | null;
  readonly rocmVersion?: string | null;
  readonly toolVersion?: string | null;
  /** Processes run but are not listed (a container sees none outside); false: there are none. Absent: unknown. */
  readonly processesHidden?: boolean;
  /** Names of the available fields, if the tool lists them. */
  readonly fields?: readonly string[];
  /** The number of GPUs that the tool reports, if it is more than it listed. */
  readonly attachedGpus?: number | null;
}

export const EMPTY_READING: ToolReading = {
  devices: [],
  samples: [],
  processes: [],
  error: null,
  warnings: [],
  driverVersion: null,
  cudaVersion: null,
};

/** Parses a stream line by line, and returns each tick when it is complete. */
export interface StreamReader {
  line(text: string, receivedMs: number): readonly ToolReading[];
}

/**
 * A program that reports GPUs. One file each in tools/, with everything about its commands and output, and nothing
 * about starting processes.
 */
export interface GpuTool {
  readonly id: string;
  readonly vendor: GpuDevice['vendor'];
  /** Of several tools that see the same GPUs, the lowest rank is queried first; absent: 50. */
  readonly rank?: number;
  /** The query also runs until it is stopped: its first complete reading is the result. */
  readonly neverEnds?: boolean;
  /** The minimum interval of single queries, because starting it is expensive; absent: none. */
  readonly leastIntervalMs?: number;
  /** It may miss GPUs of its vendor, so the next tool is queried, too. */
  readonly isPartial?: boolean;
  /** Queried only if no other tool reported anything. */
  readonly isFallback?: boolean;
  /** Names or absolute paths to try, in order. */
  executables(platform: string, variables: Readonly<Record<string, string | undefined>>): readonly string[];
  /** Arguments of a query for devices and samples, without the fields that a driver lacks. */
  query(unknownFields: readonly string[]): readonly string[];
  /** The same, repeated by the tool itself; null if not supported. */
  stream(unknownFields: readonly string[], intervalMs: number): readonly string[] | null;
  /**
   * Arguments of a query for the processes on the devices; null if not supported. Its MIG samples are used, too.
   */
  processes(devices?: readonly GpuDevice[]): readonly string[] | null;
  /** Arguments of further queries for missing details (MIG instances); empty if there are none. */
  details(devices: readonly GpuDevice[]): readonly (readonly string[])[];
  /** Adds the result of a detail query. */
  withDetails(devices: readonly GpuDevice[], detail: ToolReading): readonly GpuDevice[];
  /** Arguments whose outputs have each a form of their own, for an output of unknown arguments; absent: the query's. */
  readonly forms?: readonly (readonly string[])[];
  /** Whether this tool's output with these arguments can be parsed. */
  canRead(args: readonly string[]): boolean;
  read(args: readonly string[], output: ToolOutput, receivedMs: number): ToolReading;
  /** `devices`: the expected number of rows per tick. */
  streamReader(args: readonly string[], devices: number): StreamReader;
  /** The message for the user when the tool failed. */
  problem(kind: ToolErrorKind, text: string): ToolError;
  /** The field that an `invalid-field` error names; null if it names none. */
  unknownField(error: ToolError): string | null;
}

/**
 * Defaults for a tool that reports everything in one query and cannot loop. A tool spreads it and adds its own
 * features.
 */
export const ONE_SHOT = {
  stream: () => null,
  processes: () => null,
  details: () => [],
  withDetails: devices => devices,
  streamReader: () => ({ line: () => [] }),
  unknownField: () => null,
  canRead: () => true,
} satisfies Partial<GpuTool>;
