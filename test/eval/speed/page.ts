import type { GroupScore, Scores } from './score';

const percent = (share: number | null): string => (share === null ? '' : `${(100 * share).toFixed(1)} %`);

function line(name: string, score: GroupScore): string {
  const { n, asked, median, p90, inside, ruleMedian, ruleP90 } = score;
  const cells = [
    name,
    `${n} of ${asked}`,
    percent(median),
    percent(p90),
    percent(inside),
    percent(ruleMedian),
    percent(ruleP90),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The page of the figures. */
export function pageOf({ groups, fitted }: Scores): string {
  const rows = Object.entries(groups).filter(([, { asked }]) => asked > 0);
  return `# Time and cost

x
${rows.map(([name, score]) => line(name, score)).join('\n')}

${JSON.stringify(fitted.constants)}
`;
}
