import { TaskRoom } from './room';
import type { RoomOptions } from './room';

/** A separate chunk with this window's jobs, loaded on first use, or shortly after the window opens. */
export const openTaskRoom = (options: RoomOptions): TaskRoom => new TaskRoom(options);
