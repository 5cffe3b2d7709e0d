import { TaskRoom } from './room';
import type { RoomOptions } from './room';

/** A chunk of its own: jobs in this window, loaded when somebody asks for one, or a little after the window. */
export const openTaskRoom = (options: RoomOptions): TaskRoom => new TaskRoom(options);
