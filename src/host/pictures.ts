import { ColorThemeKind, window } from 'vscode';
import type { ThemeKind } from '../core/render/bar';

/** An SVG text as a data URI. */
export const dataUri = (svg: string): string => `data:image/svg+xml;utf8,${encodeURIComponent(svg)}`;

/** The kind of theme that a picture must match. */
export function themeKind(): ThemeKind {
  switch (window.activeColorTheme.kind) {
    case ColorThemeKind.Light:
      return 'light';
    case ColorThemeKind.HighContrast:
      return 'high-contrast';
    case ColorThemeKind.HighContrastLight:
      return 'high-contrast-light';
    case ColorThemeKind.Dark:
      return 'dark';
  }
}
