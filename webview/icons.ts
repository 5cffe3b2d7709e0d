/** Outlines on a 16 × 16 grid. */
const PATHS = {
  chevron: 'M6 4l4 4-4 4',
  pin: 'M6 2h4l-.5 4 2.5 2.5v1H4v-1L6.5 6 6 2zM8 9.5V14',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
  output: 'M2.5 3h11v10h-11zM5 6.5l2 1.75L5 10M8.5 10.5h3',
  config: 'M4 2.5h5.5L12 5v8.5H4zM9.5 2.5V5H12M6 8h4M6 10.5h4',
  stop: 'M4 4h8v8H4z',
  fetch: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  resume: 'M5 3.5l7.5 4.5L5 12.5z',
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
