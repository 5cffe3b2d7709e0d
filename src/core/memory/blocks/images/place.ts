/** Prefix of the names of a vision tower's modules. */
export const TOWER_PLACE = 'vision_tower.';
