/** What the page is made of: addresses as the webview may load them. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
  /** Where its own files come from. */
  readonly source: string;
  readonly nonce: string;
}

/**
 * The page: nothing but its own script and styles may be loaded or run, and no one is asked anything. Controls
 * look for the nonce where a style of their own has to carry it.
 */
export function pageHtml({ script, style, source, nonce }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source} 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<title>GPUs</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="panel"><h1 class="unseen">GPUs</h1></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
