type Settings = Readonly<Record<string, unknown>>;

export const calm: Settings;
export const quiet: Settings;
export const restrictedMode: Settings;
