const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const two = (n: number): string => String(n).padStart(2, '0');

/** What Python's `strftime` makes of them in English, as far as chat templates write a day. */
const PARTS: Readonly<Record<string, (date: Date) => string>> = {
  Y: date => String(date.getFullYear()),
  y: date => two(date.getFullYear() % 100),
  m: date => two(date.getMonth() + 1),
  d: date => two(date.getDate()),
  B: date => MONTHS[date.getMonth()] ?? '',
  b: date => (MONTHS[date.getMonth()] ?? '').slice(0, 3),
  A: date => DAYS[date.getDay()] ?? '',
  a: date => (DAYS[date.getDay()] ?? '').slice(0, 3),
  H: date => two(date.getHours()),
  M: date => two(date.getMinutes()),
  S: date => two(date.getSeconds()),
  '%': () => '%',
};

/** A date by a format of Python's; what is not known in it stays as it is. */
export const strftime = (date: Date, format: string): string =>
  format.replace(/%(.)/g, (all, part: string) => PARTS[part]?.(date) ?? all);
