// The list of plans, told from the question that follows it: its rows begin with the key that changes.

export const PLAN = /^[a-z][\w.]+(:| \S+ →)/;
