export function engineParts(): readonly {
  readonly name: string;
  readonly license: string;
  readonly folder: string;
}[];
export function copyEngine(platform: string, dist: string): void;
export function copyModel(dist: string): Promise<void>;
