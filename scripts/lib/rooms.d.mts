/** A row of src/rooms.json. */
export interface Room {
  /** What lives there. */
  readonly holds: string;
  /** Rooms that it may import. */
  readonly sees: readonly string[];
  /** Why no others: what lint and tests say. */
  readonly why: string;
  /** Files of it that stand elsewhere. */
  readonly also?: readonly string[];
  /** It may import the editor. */
  readonly vscode?: true;
  /** It may import Node's modules. */
  readonly node?: true;
}

export type Rooms = Readonly<Record<string, Room>>;

export function readRooms(root: string): Rooms;
export function roomOf(rooms: Rooms, path: string): string | null | undefined;
export function refusal(rooms: Rooms, from: string, written: string): string | null;
