import type { Charted } from '../src/panel/page/charted';

/** Colors that a canvas needs as values. */
interface ChartColors {
  readonly line: Readonly<Record<Charted, string>>;
  readonly fill: Readonly<Record<Charted, string>>;
  readonly grid: string;
  readonly predicted: string;
}

/** Each measure's theme color, and a fallback for themes without it. */
const LINES: Readonly<Record<Charted, readonly [string, string]>> = {
  memoryUsedMiB: ['--vscode-charts-blue', '#3794ff'],
  utilPct: ['--vscode-charts-green', '#89d185'],
  tempC: ['--vscode-charts-red', '#f14c4c'],
  powerW: ['--vscode-charts-purple', '#b180d7'],
};

let current: ChartColors | null = null;

/** The theme's current colors. */
export function chartColors(): ChartColors {
  current ??= readColors();
  return current;
}

/** Calls back on theme changes for the lifetime of the page. */
export function onTheme(changed: () => void): void {
  const look = (): void => {
    current = null;
    changed();
  };
  new MutationObserver(look).observe(document.body, {
    attributes: true,
    attributeFilter: ['class', 'data-vscode-theme-id'],
  });
}

const isHighContrast = (): boolean => document.body.className.includes('vscode-high-contrast');

function readColors(): ChartColors {
  const styles = getComputedStyle(document.documentElement);
  const value = (name: string, fallback: string): string => styles.getPropertyValue(name).trim() || fallback;
  const foreground = value('--vscode-foreground', '#888888');
  const line = colorsOf(([name, fallback]) => value(name, fallback));
  // High-contrast themes use no tints, so a chart is only its line.
  const fill = colorsOf(([name, fallback]) =>
    isHighContrast() ? 'transparent' : tinted(value(name, fallback)),
  );
  return { line, fill, grid: tinted(foreground), predicted: foreground };
}

function colorsOf(color: (of: readonly [string, string]) => string): Readonly<Record<Charted, string>> {
  const { memoryUsedMiB, utilPct, tempC, powerW } = LINES;
  return {
    memoryUsedMiB: color(memoryUsedMiB),
    utilPct: color(utilPct),
    tempC: color(tempC),
    powerW: color(powerW),
  };
}

/** The color at 16 % opacity. */
const tinted = (color: string): string => `color-mix(in srgb, ${color} 16%, transparent)`;
