/** Outlines on a grid of 16 × 16. */
const PATHS = {
  chevron: 'M6 4l4 4-4 4',
  pin: 'M6 2h4l-.5 4 2.5 2.5v1H4v-1L6.5 6 6 2zM8 9.5V14',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
} as const;

export type Icon = keyof typeof PATHS;

const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
