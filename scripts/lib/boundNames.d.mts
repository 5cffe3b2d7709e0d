export function bindNames(code: string): string;
export function circleOf(codes: ReadonlyMap<string, string>): string | null;
