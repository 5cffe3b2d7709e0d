import { TaskRoom } from './room';
import type { RoomOptions } from './room';

/** Its own chunk: jobs in this window, loaded when someone asks for one, or a little after the window. */
export const openTaskRoom = (options: RoomOptions): TaskRoom => new TaskRoom(options);
