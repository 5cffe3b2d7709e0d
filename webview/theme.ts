import type { Charted } from '../src/panel/page/charted';

/** Colours that a canvas needs by value. */
export interface ChartColors {
  readonly line: Readonly<Record<Charted, string>>;
  readonly fill: Readonly<Record<Charted, string>>;
  readonly grid: string;
  readonly predicted: string;
}

/** Each measure's colour, and one to fall back on where a theme has none. */
const LINES: Readonly<Record<Charted, readonly [string, string]>> = {
  memoryUsedMiB: ['--vscode-charts-blue', '#3794ff'],
  utilPct: ['--vscode-charts-green', '#89d185'],
  tempC: ['--vscode-charts-red', '#f14c4c'],
  powerW: ['--vscode-charts-purple', '#b180d7'],
};

let current: ChartColors | null = null;

/** The theme's colours as they are now. */
export function chartColors(): ChartColors {
  current ??= readColors();
  return current;
}

/** Tells of another theme, until the page goes. */
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
  // In high contrast a chart is its line: tints are what such a theme is without.
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

/** The colour with a sixth of its strength. */
const tinted = (color: string): string => `color-mix(in srgb, ${color} 16%, transparent)`;
