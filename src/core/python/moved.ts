/** A part of a parsed program as it stands further on in another text: new objects, with all spans moved. */
export function moved<Part>(part: Part, by: number): Part;
export function moved(part: unknown, by: number): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => moved(one, by));
  if (typeof part !== 'object' || part === null) return part;
  if ('start' in part && 'end' in part && typeof part.start === 'number' && typeof part.end === 'number') {
    return { start: part.start + by, end: part.end + by };
  }
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(part)) {
    copy[key] = typeof value === 'object' ? moved(value, by) : value;
  }
  return copy;
}
